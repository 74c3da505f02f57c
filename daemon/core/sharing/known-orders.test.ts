import { describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { KnownOrders } from './known-orders.ts';

const HOME = 1 as VolumeId;
const FID = '1.65536.2' as Fid;
const SHARED = [{ fid: FID, order: 'shared' }] as const;

describe('what is known of orders on sharing', () => {
  it('is asked for once when the server tells of a revision, and not again when that came', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    expect(orders.takeStale()).toEqual([HOME]);
    expect(orders.takeStale()).toEqual([]);
    orders.replace(HOME, SHARED, 4);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('is not asked for again where the answer is of a later revision than the one told of', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.replace(HOME, SHARED, 5);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([]);
  });

  it('is asked for again where the answer was overtaken by a later word, whatever comes late', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.told(HOME, 6);
    orders.told(HOME, 5);
    orders.replace(HOME, SHARED, 5);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('is not asked for by an answer that was long on its way', () => {
    const orders = new KnownOrders();
    orders.replace(HOME, SHARED, 6);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([]);
  });

  it('begins anew with another connection, on which revisions may be lower', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 6);
    orders.takeStale();
    orders.replace(HOME, SHARED, 6);
    orders.reset();
    expect(orders.get(FID)).toBe('shared');
    orders.told(HOME, 2);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('waits for the next word where a question failed', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.failed(HOME);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 4);
    expect(orders.takeStale()).toEqual([HOME]);
  });
});

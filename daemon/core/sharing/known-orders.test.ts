import { describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { KnownOrders } from './known-orders.ts';

const HOME = 1 as VolumeId;
const FID = '1.65536.2' as Fid;
const SHARED = [{ fid: FID, order: 'shared' }] as const;

describe('the known sharing orders', () => {
  it('are requested once for a new revision', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    expect(orders.takeStale()).toEqual([HOME]);
    expect(orders.takeStale()).toEqual([]);
    orders.replace(HOME, SHARED, 4);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('are not requested again when the answer has a later revision', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.replace(HOME, SHARED, 5);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([]);
  });

  it('are requested again when a later revision overtook the answer', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.told(HOME, 6);
    orders.told(HOME, 5);
    orders.replace(HOME, SHARED, 5);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('are not requested because of an old answer', () => {
    const orders = new KnownOrders();
    orders.replace(HOME, SHARED, 6);
    orders.told(HOME, 5);
    expect(orders.takeStale()).toEqual([]);
  });

  it('begin anew with another connection, whose revisions may be lower', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 6);
    orders.takeStale();
    orders.replace(HOME, SHARED, 6);
    orders.reset();
    expect(orders.get(FID)).toBe('shared');
    orders.told(HOME, 2);
    expect(orders.takeStale()).toEqual([HOME]);
  });

  it('are requested at the next notice after a failed request', () => {
    const orders = new KnownOrders();
    orders.told(HOME, 4);
    orders.takeStale();
    orders.failed(HOME);
    expect(orders.takeStale()).toEqual([]);
    orders.told(HOME, 4);
    expect(orders.takeStale()).toEqual([HOME]);
  });
});

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { DiskReserve } from './disk-reserve.ts';
import { RESERVE_BYTES } from '../limits.ts';

const MEGABYTE = 1024 * 1024;
/** A disk of 64 MiB: its reserve has two. */
const TOTAL = 64 * MEGABYTE;
const free = (megabytes: number) => ({ free: megabytes * MEGABYTE, total: TOTAL });

let folder: string;
let path: string;
const log = new MemoryLog(new World(1), 'server');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-reserve-'));
  path = join(folder, 'reserve');
  log.lines.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const said = (): string[] => log.lines.map(({ message }) => message);

it('the reserve is a small part of a small disk and bounded on a large one', () => {
  expect(DiskReserve.bytesOn({ free: 0, total: TOTAL })).toBe(2 * MEGABYTE);
  expect(DiskReserve.bytesOn({ free: 0, total: 1e13 })).toBe(RESERVE_BYTES);
});

describe('a disk reserve', () => {
  it('is made of real blocks when there is space', async () => {
    const reserve = new DiskReserve(path, log);
    await reserve.adapt(free(5));
    expect([size(), reserve.isForContents]).toEqual([0, true]);
    await reserve.adapt(free(6));
    expect(size()).toBe(2 * MEGABYTE);
    expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(2 * MEGABYTE);
  });

  it('is given up as a whole for metadata when the disk is full, and that is logged once', async () => {
    const reserve = new DiskReserve(path, log);
    await reserve.adapt(free(20));
    expect(reserve.give()).toBe(true);
    expect([existsSync(path), reserve.isForContents]).toEqual([false, false]);
    expect(reserve.give()).toBe(false);
    expect(said()).toEqual(['the disk is full: no contents are taken until there is room']);
  });

  it('is given up before the disk is full', async () => {
    const reserve = new DiskReserve(path, log);
    await reserve.adapt(free(20));
    await reserve.adapt(free(1));
    expect(reserve.isForContents).toBe(true);
    await reserve.adapt(free(0.25));
    expect([existsSync(path), reserve.isForContents]).toEqual([false, false]);
  });

  it('returns without help when there is several times its size free and not before', async () => {
    const reserve = new DiskReserve(path, log);
    await reserve.adapt(free(20));
    reserve.give();
    await reserve.adapt(free(5));
    expect([size(), reserve.isForContents]).toEqual([0, false]);
    await reserve.adapt(free(6));
    expect([size(), reserve.isForContents]).toEqual([2 * MEGABYTE, true]);
    expect(said()).toContain('the disk has room again: contents are taken');
  });

  it('is available to the next process', () => {
    writeFileSync(path, 'room');
    const reserve = new DiskReserve(path, log);
    expect(reserve.give()).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  it('counts as missing only when hardly any space is free', async () => {
    const reserve = new DiskReserve(path, log);
    await reserve.adapt(free(3));
    expect(reserve.isForContents).toBe(true);
    await reserve.adapt(free(1));
    expect(reserve.isForContents).toBe(false);
  });

  it('stays away when it is given up while it is made', async () => {
    const reserve = new DiskReserve(path, log);
    const making = reserve.adapt(free(20));
    reserve.give();
    await making;
    expect([existsSync(path), reserve.isForContents]).toEqual([false, false]);
  });

  it('reports an error of the disk when it cannot be made for another reason', async () => {
    const reserve = new DiskReserve(path, log);
    mkdirSync(path);
    rmSync(path, { recursive: true });
    rmSync(folder, { recursive: true });
    await expect(reserve.adapt(free(20))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(folder);
  });
});

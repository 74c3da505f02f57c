/**
 * Who flushes waits for what the audit finds, also for an audit that is under way already; and comes to an end, though audits flush
 * themselves and may never find it quiet.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { milliseconds } from '../../../shared/model/time.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';

/** Holds everybody back who comes by. */
class Gate {
  readonly arrived: Promise<void>;
  #arrive: () => void = () => undefined;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor() {
    this.arrived = new Promise((resolve) => (this.#arrive = resolve));
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  readonly pass = (): Promise<void> => {
    this.#arrive();
    return this.#opened;
  };

  open(): void {
    this.#open();
  }
}

let bench: FolderBench;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const WHOLE = Object.fromEntries(NAMES.map((name) => [name, `contents of ${name}`]));

beforeEach(async () => {
  bench = new FolderBench();
  bench.limits = {
    ...bench.limits,
    ...{ massRemovalFiles: 1, audit: milliseconds(1), heldPause: milliseconds(1) },
  };
  await bench.start();
  for (const [name, text] of Object.entries(WHOLE)) writeFileSync(bench.path(name), text);
  await bench.settled();
});
afterEach(() => bench.destroy());

/** Three files are missing and are to be put in place again: that is for the audit. */
async function missing(): Promise<void> {
  await bench.close();
  for (const name of ['a', 'b', 'c']) unlinkSync(bench.path(name));
  await bench.open();
  await bench.folder.scan();
  expect(bench.folder.heldRemovals()).toBe(3);
}

/** A flush that has scanned, and whether it has ended. */
async function flushing(): Promise<{ ended: boolean; end: Promise<void> }> {
  await bench.folder.scan();
  const flush = { ended: false, end: Promise.resolve() };
  flush.end = bench.volume.flush().then(() => void (flush.ended = true));
  return flush;
}

/** What a program makes here is there: far longer than a flush takes that waits for nothing. */
async function roundTrip(): Promise<void> {
  for (const name of ['later', 'later still']) {
    writeFileSync(bench.path(name), name);
    await bench.volume.until(() => bench.volume.tree()[name] === name);
  }
}

describe('a flush during an audit', () => {
  it('waits for what the audit is about to find', async () => {
    await missing();
    const gate = new Gate();
    bench.volume.onRead = gate.pass;
    const rejecting = bench.folder.rejectRemovals();
    await gate.arrived;
    const flush = await flushing();
    await roundTrip();
    expect(flush.ended).toBe(false);
    gate.open();
    await flush.end;
    expect(bench.tree()).toMatchObject(WHOLE);
    await rejecting;
  });

  it('waits for what the audit has found, which is counted until it is in place', async () => {
    await missing();
    const gate = new Gate();
    bench.volume.onObtain = gate.pass;
    const rejecting = bench.folder.rejectRemovals();
    await gate.arrived;
    const flush = await flushing();
    await roundTrip();
    expect(flush.ended).toBe(false);
    // Each of the files whose contents are on their way.
    expect(bench.folder.unsettled().commits).toBe(3);
    gate.open();
    await flush.end;
    expect(bench.tree()).toMatchObject(WHOLE);
    await rejecting;
    expect(bench.folder.unsettled().commits).toBe(0);
  });
});

describe('a flush of the folder', () => {
  it('ends when both sides edit one file repeatedly and several flushes run', async () => {
    const kept: string[] = [];
    for (let round = 0; round < 5; round++) {
      bench.volume.connected = false;
      writeFileSync(bench.path('a'), `mine ${round}`);
      await bench.folder.scan();
      await bench.other.write('a', `theirs ${round}`);
      bench.volume.connected = true;
      await Promise.all([bench.flush(), bench.flush()]);
      kept.push(`mine ${round}`);
      expect(bench.tree()).toEqual(bench.volume.tree());
      expect(Object.values(bench.tree())).toEqual(
        expect.arrayContaining([...kept, `theirs ${round}`]),
      );
    }
    expect(bench.folder.unsettled().commits).toBe(0);
  });

  it('ends when an audit never gets to read the volume', async () => {
    await missing();
    let isBroken = true;
    bench.volume.onRead = () => {
      if (isBroken) throw new GodwitError('not-connected');
    };
    await bench.folder.rejectRemovals();
    await bench.flush();
    expect(Object.keys(bench.tree())).toEqual(['d', 'e']);
    isBroken = false;
    await bench.flush();
    expect(bench.tree()).toEqual(WHOLE);
  });
});

describe('a flush of a file that changes each time it is copied', () => {
  const GROWN = 'a line\n';

  it.each([
    ['new', 'new'],
    ['known', 'a'],
  ])('names the file that is %s', async (_, name) => {
    writeFileSync(bench.path(name), GROWN);
    bench.volume.onOpen = () => appendFileSync(bench.path(name), GROWN);
    await bench.folder.scan();
    expect(bench.folder.unlogged()).toMatchObject({
      code: 'not-committed',
      message: expect.stringContaining(`/${name}: `) as unknown,
    });
    bench.volume.onOpen = () => undefined;
    await bench.folder.scan();
    expect(bench.folder.unlogged()).toBeNull();
  });

  it('takes it when it changed once only', async () => {
    let isFirst = true;
    writeFileSync(bench.path('new'), GROWN);
    bench.volume.onOpen = () => {
      if (isFirst) appendFileSync(bench.path('new'), GROWN);
      isFirst = false;
    };
    await bench.flush();
    expect(bench.folder.unlogged()).toBeNull();
    expect(bench.volume.tree()['new']).toBe(GROWN + GROWN);
  });
});

describe('a flush of what may not be written', () => {
  it.each(['no-right', 'volume-removed'] as const)(
    'tries it once and waits for nothing after that: %s',
    async (code) => {
      let tries = 0;
      bench.volume.create = () => {
        tries += 1;
        return Promise.reject(new GodwitError(code));
      };
      writeFileSync(bench.path('new'), 'new');
      await bench.folder.scan();
      expect(bench.folder.unlogged()).toMatchObject({ code });
      const before = tries;
      await bench.folder.scan();
      expect(tries - before).toBe(1);
      expect(bench.folder.unlogged()).toMatchObject({ code });
      expect(bench.folder.unsettled().paths).toBe(1);
    },
  );
});

/** A flush tries what failed before it again, and the status tells until then that it is not known how that ends. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { minutes } from '../../../../shared/model/time.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FolderBench, systemTimers } from '../../../../test/support/folder-bench.ts';

const RETRY = minutes(60);
const NO_ROOM = new GodwitError('disk-full', 'it does not fit');

let bench: FolderBench;
/** Ends the pause after which what failed is tried again: it never ends by itself here. */
let retry: () => void;
/** It has begun anew. */
let waitsAgain: () => void = () => undefined;

beforeEach(async () => {
  bench = new FolderBench();
  bench.limits = { ...bench.limits, retry: RETRY };
  const start: typeof systemTimers.start = (delay, run) => {
    if (delay !== RETRY) return systemTimers.start(delay, run);
    retry = run;
    waitsAgain();
    return { cancel: () => undefined };
  };
  bench.world = { timers: { start } };
  await bench.start();
  bench.volume.onObtain = () => Promise.reject(NO_ROOM);
  await bench.other.write('file', 'theirs');
  await bench.until(() => told().length > 0);
});
afterEach(() => bench.destroy());

/** As `godwit flush --wait` on the side that does not get it. */
async function flush(): Promise<void> {
  await bench.folder.scan();
  await bench.folder.reached(bench.volume.head, 'says');
}

/** Of each error, whether it is not known if it is so still. */
const told = (): boolean[] => bench.folder.status().errors.map(({ untried }) => untried === true);

/** The next fetch waits for its answer, and those after it end well. */
function nextFetch(): Promise<PromiseWithResolvers<void>> {
  const answer = Promise.withResolvers<void>();
  return new Promise((resolve) => {
    bench.volume.onObtain = () => {
      bench.volume.onObtain = () => undefined;
      resolve(answer);
      return answer.promise;
    };
  });
}

describe('a file that did not fit before a flush', () => {
  it('is shown as untried until its contents are here', async () => {
    expect(told()).toEqual([false]);
    const fetching = nextFetch();
    const flushed = flush();
    const { resolve } = await fetching;
    expect(told()).toEqual([true]);
    resolve();
    await flushed;
    expect(told()).toEqual([]);
  });

  it('is shown as found again when it does not fit now', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'disk-full' });
    expect(told()).toEqual([false]);
  });

  it('is shown as untried during a later try too', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'disk-full' });
    const fetching = nextFetch();
    retry();
    const { resolve } = await fetching;
    expect(told()).toEqual([true]);
    resolve();
    await bench.until(() => told().length === 0);
  });
});

describe('a file on a disk that failed before a flush', () => {
  const failing = Object.assign(new Error('the disk fails'), { code: 'EIO' });
  let fetches: number;

  /** Twice: the next try by itself is a long way off. */
  beforeEach(async () => {
    fetches = 0;
    bench.volume.onObtain = () => {
      fetches += 1;
      return Promise.reject(failing);
    };
    for (let tries = 0; tries < 2; tries++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waitsAgain = resolve;
      retry();
      await promise;
    }
    expect(fetches).toBe(2);
  });

  it('is fetched for the flush, and is in place after it', async () => {
    bench.volume.onObtain = () => undefined;
    await flush();
    expect(told()).toEqual([]);
  });

  it('is fetched once for the flush, which fails if the disk still does', async () => {
    await expect(flush()).rejects.toMatchObject({ message: expect.stringMatching(/fails/) });
    expect(fetches).toBe(3);
  });
});

import { describe, expect, it } from '@jest/globals';
import { SharedSync } from './shared-sync.ts';

/** A sync whose runs end when the test says so. */
function held() {
  const ends: Array<{ resolve: () => void; reject: (error: Error) => void }> = [];
  const sync = new SharedSync(
    () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
  );
  return { sync, ends };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the SharedSync of a file', () => {
  it('serves all simultaneous callers with one sync', async () => {
    const { sync, ends } = held();
    const asked = [sync.request(), sync.request()];
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]?.resolve();
    await Promise.all(asked);
  });

  it('begins another sync for callers that come during one', async () => {
    const { sync, ends } = held();
    const first = sync.request();
    await turn();
    const told: string[] = [];
    const later = [1, 2, 3].map((n) => sync.request().then(() => told.push(`later ${n}`)));
    ends[0]?.resolve();
    await first;
    await turn();
    expect(told).toEqual([]);
    expect(ends).toHaveLength(2);
    ends[1]?.resolve();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  it('fails only the callers of a failed sync', async () => {
    const { sync, ends } = held();
    const failed = sync.request();
    await turn();
    const next = sync.request();
    ends[0]?.reject(new Error('the disk is full'));
    await expect(failed).rejects.toThrow('the disk is full');
    await turn();
    ends[1]?.resolve();
    await next;
  });
});

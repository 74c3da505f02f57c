import { describe, expect, it } from '@jest/globals';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { AttachedFrontEnd } from './attached-front-end.ts';
import type { FrontEnd } from './runtime-options.ts';

/** Says what it was asked; a scan of it ends when `end` says so. */
function frontEnd(unsettled = 0) {
  const scans: string[] = [];
  const ending = Promise.withResolvers<void>();
  const of = {
    scan: () => {
      scans.push('scan');
      return ending.promise;
    },
    unsettled: () => ({ paths: unsettled, commits: 0 }),
  } as unknown as FrontEnd;
  return { of, scans, end: ending.resolve, fail: ending.reject };
}

const scan = (attached: AttachedFrontEnd): Promise<void> =>
  attached.ask(async (one) => one?.scan());

describe('a request to a front end', () => {
  it('waits for it to be opened', async () => {
    const attached = new AttachedFrontEnd();
    const opening = Promise.withResolvers<void>();
    attached.expect(opening.promise);
    const asked = scan(attached);
    const here = frontEnd();
    here.end();
    attached.attach(here.of, null);
    expect(here.scans).toEqual([]);
    opening.resolve();
    await asked;
    expect(here.scans).toEqual(['scan']);
  });

  it.each(['stays silent', 'is done', 'fails'] as const)(
    'goes to the next one when it leaves meanwhile and %s',
    async (how) => {
      const attached = new AttachedFrontEnd();
      const [first, second] = [frontEnd(), frontEnd()];
      attached.attach(first.of, null);
      const asked = scan(attached);
      await Promise.resolve();
      const next = Promise.withResolvers<void>();
      attached.leaves(next.promise);
      if (how === 'is done') first.end();
      if (how === 'fails') first.fail(new Error('it is closed'));
      second.end();
      attached.attach(second.of, null);
      next.resolve();
      await asked;
      expect([first.scans, second.scans]).toEqual([['scan'], ['scan']]);
    },
  );

  it('is refused when the next one cannot be opened', async () => {
    const attached = new AttachedFrontEnd();
    const why = new GodwitError('folder-unusable', 'no');
    attached.attach(frontEnd().of, null);
    attached.leaves(Promise.reject(why));
    await expect(scan(attached)).rejects.toBe(why);
  });

  it('counts as unsettled until the next one is open', () => {
    const attached = new AttachedFrontEnd();
    attached.attach(frontEnd(0).of, null);
    expect(attached.unsettled().paths).toBe(0);
    attached.leaves(Promise.resolve());
    expect(attached.unsettled().paths).toBe(1);
    attached.attach(frontEnd(0).of, null);
    expect(attached.unsettled().paths).toBe(0);
  });
});

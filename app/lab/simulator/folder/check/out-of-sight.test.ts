import { expect, it } from '@jest/globals';
import type { ChangeSet } from '../../../../../shared/model/change.ts';
import { makeFid, rootOf } from '../../../../../shared/model/fid.ts';
import type { Digest } from '../../../../../shared/model/vnode.ts';
import { lookForVanished } from './out-of-sight.ts';

const BYTES = 'aa' as Digest;
const [ONE, OTHER] = [makeFid(1, 2, 2), makeFid(1, 3, 3)];
const ROOT = rootOf(1 as Parameters<typeof rootOf>[0]);

function change(device: number, fid: string | null, gone: string | null): ChangeSet {
  const vnodes = [fid, gone].flatMap((each) =>
    each === null ? [] : [{ fid: each, links: each === gone ? 0 : 1, digest: BYTES, kind: 'file' }],
  );
  const entries = [{ dir: ROOT, name: 'a', fid }];
  return { commit: 1, device, seq: 1, vnodes, entries } as unknown as ChangeSet;
}

it.each([
  { what: 'the same laptop, and nobody gave it up', device: 1, givenUp: null, found: 1 },
  {
    what: 'the same laptop, after a program gave it up',
    device: 1,
    givenUp: 'a program',
    found: 0,
  },
  { what: 'another laptop', device: 2, givenUp: null, found: 0 },
])('a file that goes and comes again is found by the checker: $what', (each) => {
  const texts: string[] = [];
  const known = { begins: '1 ada', givenUp: each.givenUp };
  const ledger = { of: () => known } as unknown as Parameters<typeof lookForVanished>[0]['ledger'];
  const run = { ledger, find: (_: string, text: string) => void texts.push(text) };
  lookForVanished(run, [
    change(1, ONE, null),
    change(1, null, ONE),
    change(each.device, OTHER, null),
  ]);
  expect(texts).toHaveLength(each.found);
});

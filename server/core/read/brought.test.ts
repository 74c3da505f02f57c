import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { MOST_BROUGHT, TOLD_FROM, WHOLE_KNOWN } from '../../limits.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { includedWith } from './brought.ts';
import { CameWhole } from './came-whole.ts';

const ASKER = 1;
const OTHER = 2;
const job = { device: { id: ASKER } } as unknown as ReadJob;
const digest = (text: string) => digestOf(new TextEncoder().encode(text));

function status(
  fid: string,
  change: Partial<Record<keyof VnodeStatus, unknown>> = {},
): VnodeStatus {
  const about = { fid, kind: 'file', size: 10, version: 1, digest: digest(fid), links: 1 };
  return { ...about, ...change } as unknown as VnodeStatus;
}
const set = (vnodes: VnodeStatus[], device = OTHER): ChangeSet =>
  ({ device, vnodes }) as unknown as ChangeSet;

function brought(commits: ChangeSet[], brings: number | null = 1e9, whole = new CameWhole()) {
  const request = (brings === null ? {} : { brings }) as RequestOf<'Changes'>;
  return includedWith(whole, job, request, commits)?.status ?? null;
}

describe('contents that travel with an answer about changes', () => {
  it('are those of the last small file that others have stored', () => {
    const [a, b] = [status('a'), status('b')];
    expect(brought([set([a]), set([b]), set([status('mine')], ASKER)])).toBe(b);
    expect(brought([])).toBeNull();
  });

  it('are those of the last commit', () => {
    const [first, last] = [status('a'), status('a', { version: 2 })];
    expect(brought([set([first]), set([last]), set([status('dir', { kind: 'directory' })])])).toBe(
      last,
    );
    expect(brought([set([first]), set([status('a', { links: 0 })])])).toBeNull();
    expect(brought([set([first]), set([status('a', { version: 2, size: 1e6 })])])).toBeNull();
    // The asker has it, and later contents than those.
    expect(brought([set([first]), set([last], ASKER)])).toBeNull();
  });

  it.each([
    ['nobody asked for them', null, {}],
    ['they are longer than requested', 9, {}],
    ['they are no small save', 1e9, { size: MOST_BROUGHT + 1 }],
    ['there are none', 1e9, { digest: null }],
    ['they are empty', 1e9, { digest: digest(''), size: 0 }],
    ['it is no file', 1e9, { kind: 'symlink' }],
  ])('are left out when %s', (_, brings, change) => {
    expect(brought([set([status('a', change)])], brings)).toBeNull();
  });

  it('include a file that may go in part only if it was uploaded whole', () => {
    const long = status('a', { size: TOLD_FROM });
    const whole = new CameWhole();
    expect(brought([set([long])], 1e9, whole)).toBeNull();
    whole.note(digest('a'), TOLD_FROM);
    expect(brought([set([long])], 1e9, whole)).toBe(long);
    for (let each = 0; each < WHOLE_KNOWN; each++) whole.note(digest(`${each}`), TOLD_FROM);
    expect(brought([set([long])], 1e9, whole)).toBeNull();
  });
});

/** Contents that are wanted come, whenever they were wanted: also in the moment in which the version before is put in place. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { Mutex } from '../../../../shared/concurrency/mutex.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { ContentsComing } from './contents-coming.ts';

const statusOf = (fid: string, version: number, size = 10): VnodeStatus =>
  ({ fid: fid as Fid, version, digest: `${fid} ${version}`, size }) as unknown as VnodeStatus;

let mutex: Mutex;
/** What the feed has told of last, by fid, until it is in place. */
let held: Map<Fid, VnodeStatus>;
let obtained: string[];
/** Is called once, when something is about to be put in place. */
let onPlacing: (() => void) | null;
let coming: ContentsComing;

const nameOf = ({ fid, version }: VnodeStatus): string => `${fid} ${version}`;

beforeEach(() => {
  mutex = new Mutex();
  held = new Map();
  obtained = [];
  onPlacing = null;
  coming = new ContentsComing({
    limits: FOLDER_LIMITS,
    signal: new AbortController().signal,
    run: (work) => void work,
    obtain: (status) => {
      obtained.push(nameOf(status));
      return Promise.resolve();
    },
    place: (status) => {
      const placed = mutex.take(() => plan(status));
      onPlacing?.();
      onPlacing = null;
      return placed;
    },
    save: () => Promise.resolve(),
    came: () => undefined,
    failed: () => Promise.resolve(),
  });
});

/** What is here is in place; of the others their contents are wanted. */
function plan({ fid, version }: VnodeStatus): VnodeStatus[] {
  if ((held.get(fid)?.version ?? 0) <= version) held.delete(fid);
  return [...held.values()].filter((status) => status.fid === fid);
}

/** As a commit of the feed is taken: in turn with what is put in place. */
async function tell(status: VnodeStatus): Promise<void> {
  const wanted = await mutex.take(() => {
    held.set(status.fid, status);
    return [status];
  });
  coming.want(wanted, 1 as CommitNumber);
}

describe('a version that the feed tells of as the one before is put in place', () => {
  it('is brought, too', async () => {
    onPlacing = () => void tell(statusOf('file', 2));
    await tell(statusOf('file', 1));
    await coming.come();
    expect(obtained).toEqual(['file 1', 'file 2']);
    expect(held.size).toBe(0);
  });

  it('is brought also where it is as long as others of its own lane', async () => {
    onPlacing = () => void tell(statusOf('file', 2, 2 * FOLDER_LIMITS.shortBytes));
    await tell(statusOf('file', 1));
    await coming.come();
    expect(obtained).toEqual(['file 1', 'file 2']);
    expect(held.size).toBe(0);
  });

  it('never counts as come', async () => {
    onPlacing = () => {
      void tell(statusOf('file', 2));
      void tell(statusOf('other', 1));
    };
    await tell(statusOf('file', 1));
    await coming.come();
    await coming.come();
    expect({ size: coming.size, before: coming.before }).toEqual({ size: 0, before: null });
    expect(obtained.toSorted()).toEqual(['file 1', 'file 2', 'other 1']);
  });
});

it('contents wanted again while they come are fetched once', async () => {
  await tell(statusOf('file', 1));
  coming.want([statusOf('file', 1)], 1 as CommitNumber);
  await coming.come();
  expect(obtained).toEqual(['file 1']);
});

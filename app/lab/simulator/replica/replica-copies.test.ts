import { expect, it } from '@jest/globals';
import type { DataVersion, Digest } from '../../../../shared/model/vnode.ts';
import { digestOf } from '../disk/content-digest.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { ReplicaCopies } from './replica-copies.ts';
import type { ReplicaState } from './memory-replica.ts';
import type { Fid } from '../../../../shared/model/fid.ts';

const FID = '1.2.3' as Fid;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function stateOf(text: string): { state: ReplicaState; digest: Digest } {
  const digest = digestOf(bytes(text));
  const vnode = { status: { digest }, bytes: bytes(text) };
  return { state: { vnodes: new Map([[FID, vnode]]) } as unknown as ReplicaState, digest };
}

it('a copy is not written into a file that the store has taken over', async () => {
  const disk = new MemoryDisk();
  const first = stateOf('first');
  const copies = new ReplicaCopies(first.state, disk, '/copies');
  const given = await copies.copyOf(FID, 1 as DataVersion, first.digest);
  disk.sync(given as string);
  disk.rename(given as string, '/store/c1');
  disk.syncFolder('/store');
  disk.crash();
  const second = stateOf('second');
  const again = new ReplicaCopies(second.state, disk, '/copies');
  await again.copyOf(FID, 2 as DataVersion, second.digest);
  expect(new TextDecoder().decode(disk.read('/store/c1'))).toBe('first');
});

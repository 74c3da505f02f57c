/** Vnode numbers for what is made here, from blocks held ahead: one in use and a spare (rule I3). */
import { makeFid, parseFid, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { VnodeBlock } from '../../../shared/ports/client-store.ts';
import { VNODE_BLOCK } from '../../../shared/wire/limits.ts';
import type { ClientState } from '../state.ts';
import type { VolumeState } from './volumes.ts';
import type { WaitKey } from '../waits/wait-key.ts';

/** Free numbers below which another block is asked for. */
const WANTED = VNODE_BLOCK + 1;

export const blocksKey = (volume: VolumeId): WaitKey => ({ kind: 'blocks', volume });

/** A fid that was never used; null: none is left, and the server must be asked. */
export function takeFid(state: ClientState, volume: VolumeId): Fid | null {
  const known = state.names.volumes.get(volume);
  const block = known?.row.blocks.find((candidate) => candidate.used < candidate.count);
  if (known === undefined || block === undefined) return null;
  const used = { ...block, used: block.used + 1 };
  const blocks = known.row.blocks
    .map((other) => (other === block ? used : other))
    .filter((other) => other.used < other.count);
  known.row = { ...known.row, blocks };
  state.names.volumes.save(known);
  return makeFid(volume, block.first + block.used, block.uniquifier);
}

/**
 * Something else has a fid of ours: a copy of this data folder makes things of the same block, and may have offered them since the server was
 * put back. None of the block's numbers is used any more.
 */
export function giveUpBlockOf(state: ClientState, volume: VolumeId, fid: Fid): void {
  const [known, parts] = [state.names.volumes.get(volume), parseFid(fid)];
  if (known === undefined || parts === null) return;
  const { vnode, uniquifier } = parts;
  const isAnother = (block: VnodeBlock): boolean => {
    const isOfIt = vnode >= block.first && vnode < block.first + block.count;
    return !isOfIt || uniquifier !== block.uniquifier;
  };
  const blocks = known.row.blocks.filter(isAnother);
  known.madeBefore = known.madeBefore.filter(isAnother);
  if (blocks.length === known.row.blocks.length) return;
  known.row = { ...known.row, blocks };
  state.names.volumes.save(known);
}

/** Asks for blocks where there is no spare. */
export function askForBlocks(state: ClientState): void {
  if (!state.session.isUp) return;
  for (const [id, volume] of state.names.volumes) {
    if (volume.row.info.rights === 'read' || volume.blocksAsked) continue;
    const free = freeIn(volume);
    if (free >= WANTED || state.delays.isHeld(blocksKey(id), state.now.at)) continue;
    volume.blocksAsked = true;
    const body = { volume: id, blocks: free === 0 ? 2 : 1 };
    state.send({ rpc: 'AllocateVnodes', body }, 'VALIDATE', { for: 'blocks', volume: id });
  }
}

/**
 * Takes blocks of vnode numbers that the server has given, durably, and wakes the calls that wait
 * for one.
 */
export function onBlocks(
  state: ClientState,
  id: VolumeId,
  blocks: ReadonlyArray<Omit<VnodeBlock, 'used'>>,
): void {
  const volume = state.names.volumes.get(id);
  if (volume === undefined) return;
  volume.blocksAsked = false;
  state.delays.succeeded(blocksKey(id));
  const added = blocks.map((block) => ({ ...block, used: 0 }));
  volume.row = { ...volume.row, blocks: [...volume.row.blocks, ...added] };
  state.names.volumes.save(volume);
  state.waiting.signal(blocksKey(id));
}

/**
 * Takes a refused or lost request for blocks; it is sent again after a delay. `jitter` in [0, 1)
 * spreads the delays.
 */
export function onBlocksFailed(state: ClientState, id: VolumeId, jitter: number): void {
  const volume = state.names.volumes.get(id);
  if (volume !== undefined) volume.blocksAsked = false;
  state.delays.failed(blocksKey(id), state.now.at, jitter);
}

function freeIn(volume: VolumeState): number {
  return volume.row.blocks.reduce((sum, block) => sum + block.count - block.used, 0);
}

/**
 * Blocks of vnode numbers for files that a device makes offline (rule I3).
 *
 * Each block has a uniquifier of its own, so the numbers of a block may come again in a later one: there are
 * 65,535 ranges of 65,536 numbers, taken in turn, and in each epoch from another one on (rule I1). Range 0 is left out; it has
 * the root's number.
 *
 * A device may hold so many blocks of which nothing was made (MAX_UNUSED_BLOCKS). Which those are is asked of the store once, and kept in memory from
 * then on. Where a group fails they are asked for again.
 */
import type { KeyOf, VnodeBlock } from '../../../shared/model/stored.ts';
import { epochRange } from '../../../shared/model/epoch.ts';
import { ROOT_UNIQUIFIER, parseFid, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { present } from '../../../shared/util/assert.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { VNODE_BLOCK } from '../../../shared/wire/limits.ts';
import { MAX_UNUSED_BLOCKS } from '../../limits.ts';
import { fail, replyAfter } from '../device/answer.ts';
import { rightIn, type Context, type DeviceState, type ReadJob } from '../state.ts';
import { beginLoad, onFailure, stage } from '../commit/group-commit.ts';
import { rowKeyText } from '../commit/row-key.ts';
import type { LoadedRows } from '../commit/row-view.ts';
import { volumeState } from '../wait/waiting-read.ts';

const RANGES = 2 ** 32 / VNODE_BLOCK - 1;

/** At once where it is known what the device holds; else it is asked for. */
export function beginAllocation(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'AllocateVnodes'>,
): void {
  const { device, call } = job;
  const { volume } = request;
  if (rightIn(device, volume) !== 'write') {
    fail(ctx, device, call, 'no-right');
    return;
  }
  const unused = device.unusedBlocks.get(volume);
  if (unused === undefined) beginLoad(ctx, [unusedKey(device, volume)], job);
  else allocate(ctx, job, request, unused);
}

export function answerAllocation(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'AllocateVnodes'>,
  rows: LoadedRows,
): void {
  const { device } = job;
  const { volume } = request;
  if (!device.unusedBlocks.has(volume)) {
    const stored = present(rows.row(unusedKey(device, volume)), 'a load has all its rows');
    device.unusedBlocks.set(volume, new Set(stored));
  }
  beginAllocation(ctx, job, request);
}

/** Something was made with this fid. */
export function noteMade(ctx: Context, { unusedBlocks }: DeviceState, fid: Fid): void {
  const parts = parseFid(fid);
  if (parts === null) return;
  const { volume, uniquifier } = parts;
  const wasUnused = unusedBlocks.get(volume)?.delete(uniquifier) === true;
  if (wasUnused) onFailure(ctx, () => unusedBlocks.delete(volume));
}

function unusedKey({ id: device }: DeviceState, volume: VolumeId): KeyOf<'unused-blocks'> {
  return { kind: 'unused-blocks', volume, device, limit: MAX_UNUSED_BLOCKS };
}

function allocate(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'AllocateVnodes'>,
  unused: Set<number>,
): void {
  const { device, call } = job;
  if (unused.size + request.blocks > MAX_UNUSED_BLOCKS) {
    const held = `this device holds ${unused.size} blocks of vnode numbers and has used none of them`;
    fail(ctx, device, call, 'try-again', held);
    return;
  }
  const volume = volumeState(ctx, request.volume);
  const firsts = volume.cuts.map(({ first }) => first);
  const shift = epochRange(firsts, RANGES);
  const blocks = Array.from({ length: request.blocks }, (): VnodeBlock => {
    const uniquifier = ++volume.lastUniquifier;
    const range = 1 + ((uniquifier - ROOT_UNIQUIFIER - 1 + shift) % RANGES);
    const numbers = { first: range * VNODE_BLOCK, count: VNODE_BLOCK, uniquifier };
    return { volume: volume.id, device: device.id, ...numbers };
  });
  for (const block of blocks) {
    unused.add(block.uniquifier);
    stage(ctx, { kind: 'block', ...block });
    const key = rowKeyText({ kind: 'block', volume: block.volume, uniquifier: block.uniquifier });
    ctx.state.overlay.stage(ctx.state.collecting.id, key, block);
  }
  onFailure(ctx, () => device.unusedBlocks.delete(volume.id));
  const body = {
    blocks: blocks.map(({ first, count, uniquifier }) => ({ first, count, uniquifier })),
  };
  replyAfter(ctx, ctx.state.collecting.id, device, call, { rpc: 'AllocateVnodes', body });
}

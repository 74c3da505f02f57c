/**
 * Blocks of vnode numbers for files that a device makes offline (rule I3).
 *
 * Each block has a uniquifier of its own, so the numbers of a block may come again in a later one: there are
 * 65,535 ranges of 65,536 numbers, taken in turn, and in each epoch from another one on (rule I1). Range 0 is left out; it has
 * the root's number.
 */
import type { VnodeBlock } from '../../../shared/model/stored.ts';
import { epochRange } from '../../../shared/model/epoch.ts';
import { ROOT_UNIQUIFIER } from '../../../shared/model/fid.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { VNODE_BLOCK } from '../../../shared/wire/limits.ts';
import { fail, replyAfter } from '../answer.ts';
import type { CallId } from '../events.ts';
import { rightIn, type Context, type DeviceState } from '../state.ts';
import { stage } from '../volume/group-commit.ts';
import { rowKeyText } from '../volume/row-key.ts';
import { volumeState } from './waiting-read.ts';

const RANGES = 2 ** 32 / VNODE_BLOCK - 1;

export function allocateVnodes(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: RequestOf<'AllocateVnodes'>,
): void {
  if (rightIn(device, request.volume) !== 'write') {
    fail(ctx, device, call, 'no-right');
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
    stage(ctx, { kind: 'block', ...block });
    const key = rowKeyText({ kind: 'block', volume: block.volume, uniquifier: block.uniquifier });
    ctx.state.overlay.stage(ctx.state.collecting.id, key, block);
  }
  const body = {
    blocks: blocks.map(({ first, count, uniquifier }) => ({ first, count, uniquifier })),
  };
  replyAfter(ctx, ctx.state.collecting.id, device, call, { rpc: 'AllocateVnodes', body });
}

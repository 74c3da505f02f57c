/**
 * AllocateVnodes: blocks of vnode numbers for files that a device makes offline (rule I3; volume/vnode-numbers.ts).
 *
 * A device may hold so many blocks of which nothing was made (MAX_UNUSED_BLOCKS). The core reads these from the store once, and keeps them in memory
 * from then on. If a group fails, it reads them again.
 */
import type { KeyOf, VnodeBlock } from '../../../shared/model/stored.ts';
import { parseFid, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { present } from '../../../shared/util/assert.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { MAX_UNUSED_BLOCKS } from '../../limits.ts';
import { beginLoad, onFailure, show, stage } from '../commit/group-commit.ts';
import { rowKeyText } from '../commit/row-key.ts';
import type { LoadedRows } from '../commit/row-view.ts';
import { fail, replyAfter } from '../device/answer.ts';
import { rightIn, type DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';

/** Answered at once where it is known what the device holds; else it is asked for. */
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
  const unused = ctx.state.volumes.of(volume).numbers.unusedOf(device.id);
  if (unused === null) beginLoad(ctx, [unusedKey(device, volume)], job);
  else allocate(ctx, job, request, unused.size);
}

/** The store says which blocks of the device are unused. */
export function answerAllocation(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'AllocateVnodes'>,
  rows: LoadedRows,
): void {
  const { device } = job;
  const { volume } = request;
  const { numbers } = ctx.state.volumes.of(volume);
  if (numbers.unusedOf(device.id) === null) {
    const stored = present(rows.row(unusedKey(device, volume)), 'a load has all its rows');
    numbers.learnUnused(device.id, stored);
  }
  beginAllocation(ctx, job, request);
}

/** Something was made with this fid. */
export function noteMade(ctx: Context, { id: device }: DeviceState, fid: Fid): void {
  const parts = parseFid(fid);
  if (parts === null) return;
  const { numbers } = ctx.state.volumes.of(parts.volume);
  const wasUnused = numbers.noteMade(device, parts.uniquifier);
  if (wasUnused) onFailure(ctx, () => numbers.forgetUnused(device));
}

function unusedKey({ id: device }: DeviceState, volume: VolumeId): KeyOf<'unused-blocks'> {
  return { kind: 'unused-blocks', volume, device, limit: MAX_UNUSED_BLOCKS };
}

function allocate(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'AllocateVnodes'>,
  unused: number,
): void {
  const { device, call } = job;
  if (unused + request.blocks > MAX_UNUSED_BLOCKS) {
    const held = `this device holds ${unused} blocks of vnode numbers and has used none of them`;
    fail(ctx, device, call, 'try-again', held);
    return;
  }
  const { id: volume, numbers, rows } = ctx.state.volumes.of(request.volume);
  const blocks = Array.from({ length: request.blocks }, () => numbers.takeBlock());
  for (const numbersOfBlock of blocks) {
    const { uniquifier } = numbersOfBlock;
    const block: VnodeBlock = { volume, device: device.id, ...numbersOfBlock };
    numbers.noteGiven(device.id, uniquifier);
    stage(ctx, { kind: 'block', ...block });
    show(ctx, rows, rowKeyText({ kind: 'block', volume, uniquifier }), block);
  }
  onFailure(ctx, () => numbers.forgetUnused(device.id));
  const { id: group } = ctx.state.commits.collecting;
  replyAfter(ctx, group, device, call, { rpc: 'AllocateVnodes', body: { blocks } });
}

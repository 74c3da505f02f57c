/** The end of an update: its result is durable, and every device that could have missed it knows (rule P3). */
import { present } from '../../../shared/util/assert.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { UpdateResult } from '../../../shared/model/update.ts';
import { fail, reply } from '../device/answer.ts';
import type { PendingAnswer, PendingUpdate } from '../device/device.ts';
import { quotaUsageFor } from '../quota/quota-usage.ts';
import { fitting, weightOfResult } from '../read/page-weight.ts';
import { ordersFor } from '../share/report-orders.ts';
import { sharedFor } from '../share/verdict.ts';
import type { Context } from '../state.ts';

/** Answers the calls that wait for the update, if nothing is outstanding any more. */
export function finishIfDone(ctx: Context, pending: PendingUpdate): void {
  if (!pending.durable || pending.breaks > 0 || pending.result === null) return;
  pending.device.updates.delete(pending.seq);
  for (const { answer, index } of pending.answers.splice(0)) {
    takeResult(ctx, pending, answer, index, pending.result);
  }
}

function takeResult(
  ctx: Context,
  pending: PendingUpdate,
  answer: PendingAnswer,
  index: number,
  result: UpdateResult,
): void {
  answer.results[index] = result;
  answer.remaining--;
  if (answer.remaining > 0) return;
  const results = answer.results.map((each) => present(each, 'every update has its result'));
  const first = present(results[0], 'an answer is about an update');
  const { device, volume } = pending;
  const about = {
    ...quotaUsageFor(ctx, device, [volume]),
    ...ordersFor(ctx, device, [volume]),
  };
  if (answer.rpc === 'Store') {
    const shared = sharedFor(ctx, device, pending.update.fid);
    reply(ctx, device, answer.call, { rpc: 'Store', body: { result: first, ...about, ...shared } });
  } else {
    // What a message does not hold is asked for again, by the same numbers.
    const fits = [...fitting(results, weightOfResult)];
    reply(ctx, device, answer.call, { rpc: 'Apply', body: { results: fits, ...about } });
  }
}

/** Ends the update without a result: the device may ask again. Other updates of the same call go on. */
export function giveUp(
  ctx: Context,
  pending: PendingUpdate,
  code: ErrorCode | null,
  detail = '',
): void {
  const { device, seq, volume } = pending;
  ctx.state.volumes.of(volume).quota.uploads.drop(pending);
  if (device.updates.get(seq) === pending) device.updates.delete(seq);
  for (const { answer } of pending.answers.splice(0)) {
    if (code !== null) fail(ctx, device, answer.call, code, detail);
  }
}

/**
 * Updates are decided, once their rows are here: one by one, in order, each with a commit of its own.
 *
 * What is decided is staged: its rows into the overlay and into the group being collected, its breaks into the messages of
 * this step. Its result is a row too, so that an update sent again gets the same answer for ever (rule W4).
 */
import type { RowKey } from '../../../shared/model/stored.ts';
import { neededFor } from '../../../shared/model/access-list.ts';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';
import type { CopyMark, Update, UpdateResult } from '../../../shared/model/update.ts';
import { present } from '../../../shared/util/assert.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { MAX_ROUNDS } from '../../limits.ts';
import { kindOfChange } from '../callback/break-counts.ts';
import { breakPromises } from '../callback/breaking.ts';
import type { SubjectKey } from '../callback/promise-table.ts';
import { show, stage } from '../commit/group-commit.ts';
import { entryKey, parentKey, vnodeKey } from '../commit/overlay.ts';
import { rowKeyText } from '../commit/row-key.ts';
import type { LoadedRows, RowView } from '../commit/row-view.ts';
import { mayDo, mayStore, rightIn, type PendingUpdate } from '../device/device.ts';
import { stageUsed } from '../quota/quota-usage.ts';
import { keepLocks } from '../lock/hold-locks.ts';
import { noteMade } from '../read/allocate-vnodes.ts';
import { keepOrders } from '../share/set-sharing.ts';
import { noteUse } from '../share/verdict.ts';
import { viewOf, type Context } from '../state.ts';
import { decide } from '../volume/decide.ts';
import { refused, type Accepted, type Decision, type Refused } from '../volume/decision.ts';
import { batchEnded, beginUpdates, loadUpdates } from './begin-updates.ts';
import { park, stateOfDependencies, unparkFor } from './dependencies.ts';
import { endMarkOf } from './dirty-mark.ts';
import { finishIfDone, giveUp } from './finish-update.ts';
import type { UpdatesJob } from './jobs.ts';
import { lostSource } from './rebuild-content.ts';
import { isOther, refuseUpdate } from './refuse-copy.ts';
import { refuseForQuota } from './refuse-for-quota.ts';

const TOO_FAST = 'what it changes is changing too fast';

/** Decides the updates of a job, or asks for rows that are missing. */
export function decideUpdates(ctx: Context, job: UpdatesJob, rows: LoadedRows): void {
  for (const [index, pending] of job.updates.entries()) {
    // Given up meanwhile, or decided by way of another call.
    if (pending.device.updates.get(pending.seq) !== pending || pending.stage !== 'loading')
      continue;
    const missing = decideOne(ctx, pending, rows);
    if (missing.length === 0) continue;
    if (job.round + 1 < MAX_ROUNDS) {
      // The rest waits with it: order within a batch is kept. What was found missing before may be again.
      const extra = [...job.extra, ...missing];
      const left = [...job.updates.slice(index), ...job.rest];
      loadUpdates(ctx, left, { extra, round: job.round + 1, isBatch: job.isBatch });
      return;
    }
    giveUp(ctx, pending, 'try-again', TOO_FAST);
  }
  endUpdates(ctx, job);
}

/** Those of a job are done with: the rest of its batch, or the next batch. */
export function endUpdates(ctx: Context, job: UpdatesJob): void {
  const { updates, rest, isBatch } = job;
  if (rest.length > 0) loadUpdates(ctx, rest, { extra: [], round: 0, isBatch });
  else if (isBatch) batchEnded(ctx, present(updates[0], 'a job has updates').device);
}

/** The rows that are missing for it; none: it is decided, or parked. */
function decideOne(ctx: Context, pending: PendingUpdate, rows: LoadedRows): readonly RowKey[] {
  const view = viewOf(ctx, rows);
  const { device, seq } = pending;
  if (seq < device.lowWater) {
    // The device wants it no more; a result below the low water would be kept for ever, or be a second one.
    endMarkOf(ctx, pending);
    giveUp(ctx, pending, 'try-again', 'the low water has passed it');
    return [];
  }
  const before = seq <= device.highest ? view.applied(device.id, seq) : null;
  if (view.missing.length > 0) return view.missing;
  if (before !== null && isOther(before.name, pending.name)) {
    refuseUpdate(ctx, pending);
    return [];
  }
  if (before !== null) {
    pending.stage = 'decided';
    ctx.state.volumes.of(pending.volume).quota.uploads.drop(pending);
    pending.result = before.result;
    pending.durable = true;
    endMarkOf(ctx, pending);
    finishIfDone(ctx, pending);
    // What was sent again along with it may wait for this second asking.
    beginUpdates(ctx, unparkFor(ctx, device, seq));
    return [];
  }
  const needs = stateOfDependencies(pending, view);
  if (view.missing.length > 0) return view.missing;
  if (needs.kind === 'copied') {
    refuseUpdate(ctx, pending);
    return [];
  }
  if (needs.kind === 'waits') {
    park(ctx, pending, needs.for);
    return [];
  }
  const lack = lackOf(pending);
  if (lack !== null) {
    giveUp(ctx, pending, ...lack);
    return [];
  }
  const decision =
    needs.kind === 'failed' ? refused('dependency-failed') : judge(ctx, pending, view);
  if (view.missing.length > 0) return view.missing;
  if ('waits' in decision) giveUp(ctx, pending, 'try-again', TOO_FAST);
  else if ('growth' in decision) refuseForQuota(ctx, pending, decision.growth);
  else stageDecision(ctx, pending, decision);
  return [];
}

/** Why the contents of a store can't be committed; null: they can, or need not. */
function lackOf(pending: PendingUpdate): readonly [ErrorCode, string] | null {
  const { device, volume, update } = pending;
  if (update.op !== 'store' || !mayStore(device, volume, update)) return null;
  if (!pending.contents) return ['try-again', 'its contents were not waited for'];
  // They are sent whole the next time, by who has them still.
  return lostSource(pending) ? ['unknown-base', ''] : null;
}

function judge({ state }: Context, pending: PendingUpdate, view: RowView): Decision {
  const { device, update } = pending;
  if (!neededFor(update).every((right) => mayDo(device, pending.volume, right))) {
    return refused('no-right');
  }
  const { id: volume, head, quota, depth } = state.volumes.of(pending.volume);
  return decide(update, view, {
    device: device.id,
    volume,
    commit: head.next,
    cuts: head.cuts,
    free: quota.freeBeside(pending),
    depth: { bound: depth.bound, stagedIn: depth.stagedIn, durable: state.commits.durable },
    sees: (other) => rightIn(device, other) !== null,
  });
}

function stageDecision(ctx: Context, pending: PendingUpdate, decision: Accepted | Refused): void {
  const { state } = ctx;
  const { device, seq, name } = pending;
  // What it keeps becomes what is used.
  state.volumes.of(pending.volume).quota.uploads.drop(pending);
  const result: UpdateResult = decision.ok
    ? stageAccepted(ctx, pending, decision)
    : { seq, ok: false, refusal: decision.refusal, existing: decision.existing };
  stage(ctx, { kind: 'applied', device: device.id, result, name });
  const key = rowKeyText({ kind: 'applied', device: device.id, seq });
  show(ctx, state.rows, key, { result, name });
  pending.stage = 'decided';
  pending.result = result;
  state.commits.collecting.updates.push(pending);
  if (seq > device.highest) device.highest = seq;
  endMarkOf(ctx, pending);
  beginUpdates(ctx, unparkFor(ctx, device, seq));
}

function stageAccepted(ctx: Context, pending: PendingUpdate, decision: Accepted): UpdateResult {
  const { state } = ctx;
  const { device, seq, update } = pending;
  const volume = state.volumes.of(pending.volume);
  const { id, rows } = volume;
  const group = state.commits.collecting;
  const commit = volume.head.stageNext();
  const keys: SubjectKey[] = [];
  decision.vnodes.forEach(({ before, after }, ordinal) => {
    const previous = before?.status.commit ?? null;
    stage(ctx, { kind: 'vnode', row: after, previous, ordinal });
    show(ctx, rows, vnodeKey(after.status.fid), after);
    keys.push(after.status.fid);
  });
  for (const { dir, name, before, fid } of decision.entries) {
    stage(ctx, { kind: 'entry', dir, name, fid, commit, previous: before?.since ?? null });
    const entry = fid === null ? null : { fid, since: commit };
    show(ctx, rows, entryKey(dir, name), entry);
  }
  if (update.op === 'mkdir') show(ctx, rows, parentKey(update.fid), update.dir);
  if (update.op === 'rename') show(ctx, rows, parentKey(update.fid), update.toDir);
  if (decision.depth !== undefined) volume.depth.put(decision.depth, group.id);
  if (update.op === 'store' && update.digest !== EMPTY_DIGEST) {
    stage(ctx, { kind: 'content', digest: update.digest, size: update.size });
  }
  const by = { device: device.id, seq, when: ctx.wall };
  stage(ctx, { kind: 'log', volume: id, commit, ...by, ...markOf(update) });
  group.heads.set(id, commit);
  stageUsed(ctx, volume, decision);
  keys.push(id);
  breakPromises(ctx, keys, device.id, pending, pending.told);
  state.breakCounts.changed(kindOfChange(update), pending.told);
  noteMade(ctx, device, update.fid);
  const changed = decision.vnodes.map(({ after }) => after.status.fid);
  noteUse(ctx, device, update, changed);
  keepOrders(ctx, update, decision.vnodes);
  keepLocks(ctx, update, decision.vnodes);
  const touched = decision.vnodes.map(({ before, after }) => ({
    fid: after.status.fid,
    before: before?.status.version ?? after.status.version,
    after: after.status.version,
  }));
  return { seq, ok: true, commit, touched };
}

/** What its device says of the name that it gives (rule C4). */
function markOf(update: Update): { copyOf?: CopyMark } {
  return 'copyOf' in update && update.copyOf !== undefined ? { copyOf: update.copyOf } : {};
}

/**
 * Group commit: the rows of many steps become durable in one transaction.
 *
 * Invariants
 * 1. One group is committing at a time, and groups become durable in the order of their ids.
 * 2. A group closes when none is committing and every load of updates that had begun when its first row was staged is answered:
 *    what came in together is written together, and nothing waits for what comes later. Where somebody waits for the group after it (`full`), it
 *    waits for no load.
 * 3. A load under way when a group fails was perhaps decided upon with rows that are void: it is begun again.
 * 4. Rows of a durable group stay in the overlay while a load is under way that began before (overlay.ts).
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { RowKey, RowWrite } from '../../../shared/model/stored.ts';
import { assert, present } from '../../../shared/util/assert.ts';
import { MAX_GROUP_WRITES } from '../../limits.ts';
import {
  makeGroup,
  type Context,
  type DeviceState,
  type Group,
  type Job,
  type Load,
  type Undo,
} from '../state.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';

/** Adds a row to the group that is being collected. */
export function stage(ctx: Context, write: RowWrite): void {
  const group = ctx.state.collecting;
  if (group.writes.length === 0) group.closeAfter = ctx.state.lastTicket;
  group.writes.push(write);
}

/** What takes a change of memory back if the group being collected fails. */
export function onFailure(ctx: Context, undo: Undo): void {
  ctx.state.collecting.undo.push(undo);
}

export function beginLoad(ctx: Context, keys: readonly RowKey[], job: Job): void {
  const { state } = ctx;
  const ticket = ++state.lastTicket;
  const adds = job.kind === 'updates';
  state.loads.set(ticket, { keys, job });
  if (adds) state.adding.add(ticket);
  ctx.out.push({ kind: 'load', ticket, keys, whose: deviceOf(job)?.id ?? NOBODY, adds });
}

/** The load that a ticket stands for, or null where it was begun again since. */
export function endLoad(ctx: Context, ticket: number): Load | null {
  const load = ctx.state.loads.get(ticket);
  if (load === undefined) return null;
  ctx.state.loads.delete(ticket);
  ctx.state.adding.delete(ticket);
  return load;
}

/** Somebody waits for the group after this one. */
export function groupFull({ state }: Context, id: number): void {
  if (state.collecting.id === id) state.collecting.closeAfter = 0;
}

/** The end of each step: closes the group that may be closed, and lets go of rows that every load will show. */
export function settleGroups(ctx: Context): void {
  const { state } = ctx;
  const oldest = oldestLoad(ctx);
  while (state.retiring[0] !== undefined && state.retiring[0].ticket < oldest) {
    state.overlay.retire(state.retiring[0].group);
    state.retiring.shift();
  }
  const group = state.collecting;
  if (state.committing !== null || group.writes.length === 0) return;
  const adding = first(state.adding) ?? Number.POSITIVE_INFINITY;
  if (group.closeAfter >= adding && group.writes.length < MAX_GROUP_WRITES) return;
  state.committing = group;
  state.collecting = makeGroup(group.id + 1);
  ctx.out.push({ kind: 'commit', group: group.id, writes: group.writes });
}

/** A group is durable: memory follows. What waited for it is for the caller to let go. */
export function groupDurable(ctx: Context, id: number): Group {
  const { state } = ctx;
  const group = present(state.committing, 'a group is committing');
  assert(group.id === id, 'groups become durable in order', { id, committing: group.id });
  state.committing = null;
  state.durableGroup = id;
  state.retiring.push({ group: id, ticket: state.lastTicket });
  for (const [volume, head] of group.heads) {
    present(state.volumes.get(volume), 'the volume is there').committed = head;
  }
  for (const [volume, used] of group.used) {
    present(state.volumes.get(volume), 'the volume is there').usedCommitted = used;
  }
  return group;
}

/** A group failed: it and everything decided upon it is void. What waited for it is for the caller to fail. */
export function groupsFailed(ctx: Context, id: number, code: ErrorCode): Group[] {
  const { state } = ctx;
  const first = present(state.committing, 'a group is committing');
  assert(first.id === id, 'groups fail in order', { id, committing: first.id });
  const failed = [first, state.collecting];
  for (const group of [...failed].reverse()) {
    for (const undo of [...group.undo].reverse()) undo(ctx, code);
  }
  for (const volume of state.volumes.values()) {
    volume.staged = volume.committed;
    volume.used = volume.usedCommitted;
  }
  state.committing = null;
  // What was done about a revoked device was taken back too.
  state.accessDoubts += 1;
  // Group ids are never reused: rows of the failed ones must not be taken for new ones.
  state.collecting = makeGroup(state.collecting.id + 1);
  state.durableGroup = state.collecting.id - 1;
  state.overlay.clear();
  state.retiring.length = 0;
  const loads = [...state.loads.values()];
  state.loads.clear();
  state.adding.clear();
  for (const { keys, job } of loads) beginLoad(ctx, keys, job);
  return failed;
}

function oldestLoad(ctx: Context): number {
  return first(ctx.state.loads.keys()) ?? Number.POSITIVE_INFINITY;
}

/** Loads before it is known who asks. */
const NOBODY: DeviceId = 0;

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

function deviceOf(job: Job): DeviceState | null {
  switch (job.kind) {
    case 'hello':
      return null;
    case 'read':
    case 'announced':
      return job.device;
    case 'updates':
      return job.updates[0]?.device ?? null;
    default:
      return job.pending.device;
  }
}

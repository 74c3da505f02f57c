/**
 * A name that a file has whose contents never came (W2): its laptop made it, and was lost, or is still sending. It has no bytes, so nothing is
 * a conflict with it (C1). If its own contents come after all, they were made over a version that is not the last one, or over a file that is gone:
 * then they become the copy, as any others.
 */
import type { Refusal, Update } from '../../../shared/model/update.ts';
import { lacksContents, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { AS_IT_IS, relog } from '../log/relog.ts';
import { substituted } from '../log/rewrite.ts';
import { storeChainOf } from '../log/store-chain.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { learnStatus } from '../log/learn.ts';
import { wallMtime } from '../log/log-update.ts';
import { viewStatus } from '../log/view.ts';
import { addAlias } from '../names/aliases.ts';
import type { ClientState } from '../state.ts';
import { endOf } from './lost-name.ts';
import { offerAdjustment } from './outcome.ts';

type Naming = Extract<Update, { op: 'create' | 'mkdir' | 'symlink' | 'link' | 'rename' }>;
type Create = Extract<Update, { op: 'create' }>;
type SetAttr = Extract<Update, { op: 'setattr' }>;

/**
 * Gives ours the name that a file without contents has: a new file is stored as that one, anything else replaces it. False: something else has the name,
 * or ours has left it since.
 */
export function takeFromNeverStored(
  state: ClientState,
  entry: LoggedUpdate,
  refusal: Refusal,
  existing: VnodeStatus | null,
): boolean {
  const { update } = entry;
  if (refusal !== 'name-taken' || existing === null || !lacksContents(existing)) return false;
  if (!isNaming(update) || update.fid === existing.fid) return false;
  // A copy is put beside something, and the list tells where.
  if (typeof update.copyOf === 'string' || !staysThere(state, entry, update)) return false;
  learnStatus(state, existing);
  if (update.op === 'create') storeAs(state, entry, update, existing);
  else replace(state, entry, update, existing);
  return true;
}

function isNaming(update: Update): update is Naming {
  return ['create', 'mkdir', 'symlink', 'link', 'rename'].includes(update.op);
}

/** What was moved on or removed since is no longer in the way of anybody. */
function staysThere(state: ClientState, entry: LoggedUpdate, update: Naming): boolean {
  const to = placeOf(update);
  return endOf(update.fid, to, to, state.log.dependents(entry)).holder !== null;
}

function placeOf(update: Naming): Place {
  if (update.op === 'rename') return { dir: update.toDir, name: update.toName };
  return { dir: update.dir, name: update.name };
}

/** Ours and it are one file from now on, and what was written to ours is its first version. */
function storeAs(
  state: ClientState,
  entry: LoggedUpdate,
  update: Create,
  existing: VnodeStatus,
): void {
  const [from, to] = [update.fid, existing.fid];
  addAlias(state, from, { kind: 'merged', into: to });
  relog(state, entry, {
    instead: ownAttributes(state, entry, update, existing),
    dependent: (dependent) => substituted(dependent, from, to),
  });
  offerAdjustment(state, { kind: 'merged', volume: entry.volume, fid: from, into: to }, []);
}

/** Those of ours that the other was made without. */
function ownAttributes(
  state: ClientState,
  entry: LoggedUpdate,
  update: Create,
  { fid, mode, xattrs }: VnodeStatus,
): Array<{ update: SetAttr }> {
  const isStored = storeChainOf(update.fid, state.log.dependents(entry)).length > 0;
  const change = {
    mode: update.mode === mode ? null : update.mode,
    // A store brings its own.
    mtime: isStored ? null : update.mtime,
    xattrs: update.xattrs.length + xattrs.length === 0 ? null : update.xattrs,
  };
  const isOther = Object.values(change).some((each) => each !== null);
  return isOther ? [{ update: { op: 'setattr', fid, ...change } }] : [];
}

/** A file or a link is moved over it; for anything else it is removed first. */
function replace(
  state: ClientState,
  entry: LoggedUpdate,
  update: Exclude<Naming, Create>,
  { fid, version: base }: VnodeStatus,
): void {
  const isMoved = update.op === 'rename' && viewStatus(state, update.fid)?.kind !== 'directory';
  const removal = { op: 'remove', fid, ...placeOf(update), base, at: wallMtime(state) } as const;
  const instead: Update[] = isMoved
    ? [{ ...update, over: { fid, base } }]
    : [removal, update.op === 'rename' ? { ...update, over: null } : update];
  relog(state, entry, {
    instead: instead.map((each) => ({ update: each })),
    dependent: AS_IT_IS,
  });
}

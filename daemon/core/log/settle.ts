/**
 * Committed updates and the cache: brings the base to what was committed where that is sure, and lets an
 * answered update go when the base no longer needs it over it (rule P5).
 *
 * Invariants
 * 1. A committed change goes into the base only if the version *before* it is the one we hold; otherwise somebody else's change
 *    is missing there, and the base waits for the feed or a fetch.
 * 2. A status takes the number of our commit only under a usable promise, and with all our earlier commits in it. Else
 *    somebody (we ourselves) may have changed its attributes unseen, and Validate would call our mixture current.
 * 3. Our commits of a vnode enter its base in their order: behind one that stays in the log, later ones stay.
 */
import { dataVersion, type CommitNumber, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { installDirectory } from '../names/install-directory.ts';
import { endsName } from './rewrite.ts';
import { isUncommitted, madeBy, withUpdate } from './view.ts';
import { leaveLog } from './leave-log.ts';
import { effectsOf, objectsOf } from './update-index.ts';
import type { LoggedUpdate } from './update-log.ts';

type Answer = NonNullable<LoggedUpdate['answer']>;

/** An update was committed: what is known of its vnodes moves on. */
export function applyCommitted(state: ClientState, entry: LoggedUpdate): void {
  const { update, answer } = entry;
  if (answer === null) return;
  for (const { fid, before, after } of answer.touched) {
    if (!objectsOf(update).includes(fid)) applyToFolder(state, fid, entry);
    else {
      if (state.names.directories.has(fid)) applyToDirectory(state, entry, fid, before, after);
      if (update.fid === fid) learnMade(state, entry, after);
      applyInOrder(state, fid, entry);
    }
  }
  if (update.op === 'mkdir' && !state.names.directories.has(update.fid)) {
    // It is empty as of our commit; if it is known to have changed since, it is to be fetched.
    const version = answer.touched.find((t) => t.fid === update.fid)?.after ?? dataVersion(0);
    const isPresent = (state.names.attributes.get(update.fid)?.version ?? version) === version;
    if (isPresent) installDirectory(state, update.fid, answer.commit, version, new Map());
  }
  settleUpdate(state, entry);
}

/** The folder of an entry: this change of it, and after it those that were answered before but committed later. */
function applyToFolder(state: ClientState, dir: Fid, answered: LoggedUpdate): void {
  const waiting = new Set([answered, ...state.log.index.answeredIn(dir)] as LoggedUpdate[]);
  const inOrder = [...waiting].sort(
    (a, b) => (a.answer?.commit ?? 0) - (b.answer?.commit ?? 0) || a.seq - b.seq,
  );
  for (const entry of inOrder) {
    const touched = entry.answer?.touched.find(({ fid }) => fid === dir);
    if (touched === undefined) continue;
    if (state.names.directories.has(dir))
      applyToDirectory(state, entry, dir, touched.before, touched.after);
    applyToStatus(state, entry, dir, touched.before, touched.after);
  }
  for (const entry of inOrder) if (entry !== answered) settleUpdate(state, entry);
}

function applyToDirectory(
  state: ClientState,
  entry: LoggedUpdate,
  dir: Fid,
  before: number,
  after: number,
): void {
  const base = state.names.directories.get(dir);
  if (base === undefined || entry.answer === null || base.version !== before) return;
  for (const effect of effectsOf(entry.update)) {
    if (effect.dir === dir) state.names.directories.change(dir, effect.name, effect.fid);
  }
  state.names.directories.advance(dir, entry.answer.commit, dataVersion(after));
}

/** Nothing of the vnode was committed before it was made. */
function learnMade(state: ClientState, { update, answer }: LoggedUpdate, after: number): void {
  const made = madeBy(update);
  if (made === null || answer === null) return;
  state.names.attributes.learn({ ...made, version: dataVersion(after), commit: answer.commit });
}

/**
 * Answers come in any order, commits have one. So what we changed of a vnode goes into its base when all of it is answered;
 * until then it stays over it.
 */
function applyInOrder(state: ClientState, fid: Fid, answered: LoggedUpdate): void {
  const changes: Array<{ entry: LoggedUpdate; answer: Answer }> = [];
  for (const indexed of state.log.index.onVnode(fid)) {
    const entry = indexed as LoggedUpdate;
    if (entry.update.op === 'rename' && entry.update.fid === fid) continue;
    if (entry.answer === null) return;
    changes.push({ entry, answer: entry.answer });
  }
  changes.sort((a, b) => a.answer.commit - b.answer.commit);
  for (const { entry, answer } of changes) {
    const touched = answer.touched.find((each) => each.fid === fid);
    if (touched !== undefined) applyToStatus(state, entry, fid, touched.before, touched.after);
  }
  for (const { entry } of changes) if (entry !== answered) settleUpdate(state, entry);
}

function applyToStatus(
  state: ClientState,
  entry: LoggedUpdate,
  fid: Fid,
  before: number,
  after: number,
): void {
  const { update, answer } = entry;
  if (answer === null) return;
  const base = state.names.attributes.get(fid);
  if (base === undefined) return state.names.attributes.changedSince(fid, answer.commit);
  if (base.commit >= answer.commit) return;
  if (base.version !== before) {
    // No message will report a vnode that has ended; one that has other names is fetched again.
    if (endsName(update, fid)) ended(state, fid, answer.commit);
    return;
  }
  const next = withCommitted(base, entry, fid);
  // A name that it was given before may be over the base still: then it has not ended.
  if (next.links === 0 && !stayedOver(state, base, answer, ({ op }) => op === 'link')) {
    ended(state, fid, answer.commit);
    state.names.directories.forget(fid);
    state.cache.files.keepOnly(fid, null);
    return;
  }
  if (stayedOver(state, base, answer)) return;
  const isSure = state.isPromised(fid) && !mayLackEarlier(state, base, answer);
  // No version would show that the change is included: the update stays in the log, over the base, until the server sends the status.
  if (!isSure && before === after) return;
  const commit = isSure ? answer.commit : base.commit;
  state.names.attributes.setOurs({ ...next, version: dataVersion(after), commit });
  if (next.kind === 'file')
    state.cache.files.keepOnly(fid, { ...next, version: dataVersion(after) });
}

/** A promise for what it was is none for what an answer on its way may bring. */
function ended(state: ClientState, fid: Fid, commit: CommitNumber): void {
  state.names.attributes.ended(fid, commit);
  state.sharing.promises.forget(fid);
  state.cache.endWishes(fid);
}

/**
 * An earlier commit of ours stayed in the log, over the base, as no version would show that it is in: what came after it stays over
 * it too, or the earlier one would be seen last.
 */
function stayedOver(
  state: ClientState,
  base: VnodeStatus,
  answer: Answer,
  counts: (update: Update) => boolean = () => true,
): boolean {
  return state.log.index.onVnode(base.fid).some((indexed) => {
    const { update, answer: other } = indexed as LoggedUpdate;
    if (other === null || !counts(update)) return false;
    if (other.commit <= base.commit || other.commit >= answer.commit) return false;
    const touched = other.touched.find(({ fid }) => fid === base.fid);
    return touched !== undefined && touched.before === touched.after;
  });
}

/** A commit of ours before this one may not be in the base: it is not answered, or could not be applied. */
function mayLackEarlier(state: ClientState, base: VnodeStatus, answer: Answer): boolean {
  return state.log.index.onVnode(base.fid).some((indexed) => {
    const { update, answer: other } = indexed as LoggedUpdate;
    if (update.op === 'rename' && update.fid === base.fid) return false;
    if (other === null) return true;
    return base.commit < other.commit && other.commit < answer.commit;
  });
}

function withCommitted(base: VnodeStatus, entry: LoggedUpdate, fid: Fid): VnodeStatus {
  const { update } = entry;
  const isObject = update.fid === fid || (update.op === 'rename' && update.over?.fid === fid);
  const changed = isObject ? (withUpdate(base, fid, update) ?? base) : base;
  const isParent = effectsOf(update).some((effect) => effect.dir === fid);
  return isParent && 'at' in update ? { ...changed, mtime: update.at } : changed;
}

/** The base of a vnode is a later one: answered updates over it may be superfluous now. */
export function settle(state: ClientState, fid: Fid): void {
  const answered = [...state.log.index.onVnode(fid), ...state.log.index.answeredIn(fid)];
  for (const entry of new Set(answered)) {
    if (entry.state === 'answered') settleUpdate(state, entry as LoggedUpdate);
  }
}

function settleUpdate(state: ClientState, entry: LoggedUpdate): void {
  if (entry.answer === null || !isInBase(state, entry.answer)) return;
  leaveLog(state, entry);
  if (entry.content === null) return;
  if (state.config.frontEnd === 'folder') {
    return notNeeded(state, entry.volume, entry.answer, entry.content);
  }
  state.cache.files.release(entry.content);
}

/**
 * The folder has the file itself; here it was only to be sent. But not before its front end has shown the commit: until then the
 * contents may be nowhere else, if the server loses them (rule I1). So they stay held, however full the store is.
 */
function notNeeded(state: ClientState, id: VolumeId, { commit }: Answer, content: string): void {
  if ((state.names.volumes.get(id)?.applied ?? 0) >= commit) letGo(state, content);
  else state.queue.keepUntilShown({ volume: id, commit, content });
}

function letGo(state: ClientState, content: string): void {
  state.cache.files.doom(content);
  state.cache.files.release(content);
}

/** The front end has got to a commit. False: it was there before. */
export function onApplied(state: ClientState, id: VolumeId, applied: CommitNumber): boolean {
  const volume = state.names.volumes.get(id);
  if (volume === undefined || volume.applied >= applied) return false;
  volume.applied = applied;
  for (const content of state.queue.takeShown(id, applied)) letGo(state, content);
  return true;
}

function isInBase(state: ClientState, answer: Answer): boolean {
  return answer.touched.every(({ fid, before, after }) => {
    const directory = state.names.directories.get(fid);
    if (directory !== undefined && directory.asOf < answer.commit) return false;
    const status = state.names.attributes.get(fid);
    // What it changed is not in the base as long as the making of its vnode is not answered.
    if (status === undefined) return !isUncommitted(state, fid);
    if (status.commit >= answer.commit) return true;
    // What changed attributes only has no version that would show it.
    return after > before && status.version >= after;
  });
}

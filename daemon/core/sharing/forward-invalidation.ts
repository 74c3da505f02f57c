/**
 * Forward invalidation (rules S2, S4; MFS, section 5.1): reports updates that are in the log and not in flight, in the step that logs them.
 *
 * Invariants
 * 1. At the end of each step of a session every hidden update that others could miss has been reported, or is in `fresh` because there are
 *    ANNOUNCEMENTS_IN_FLIGHT messages under way, or after a failure until its delay is over.
 * 2. Our mark of a vnode ends when no update of it is left in the log: with the decision of the update that the mark names, or
 *    by a message. A mark is never ended before.
 * 3. Of unshared vnodes (rule S1) the server learns only whether a volume has hidden updates (S3). When they are unshared no more, the
 *    acknowledgement of the break reports their hidden updates; what does not fit there follows with all the rest.
 * 4. No other device knows a vnode that was made here and is not committed: its hidden updates are reported when an answer or the feed
 *    says that it is committed.
 */
import { unsharedIn, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_MARKS } from '../../../shared/wire/limits.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { ANNOUNCEMENTS_IN_FLIGHT } from '../../limits.ts';
import type { HiddenMarksReport } from '../effects.ts';
import type { RequestId } from '../events.ts';
import type { ClientState } from '../state.ts';
import { isForItself } from './sharing-orders.ts';
import {
  finishPointless,
  isWaitedFor,
  onToldAnswered,
  onUntold,
  reportedIn,
} from './reported-closes.ts';
import { isUncommitted } from '../log/view.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { changesFile, markedBy } from '../log/hidden-updates.ts';

const KEY = { kind: 'announce' } as const;

type Marks = Map<Fid, UpdateSeq | null>;

const NONE: ReadonlySet<Fid> = new Set();

/** After a Hello: reports every hidden update again. `marks`: how many marks of this device the server has; undefined: it does not support them. */
export function announceAll(state: ClientState, marks: number | undefined): void {
  state.log.hidden.begin(marks);
  noteAll(state);
}

function noteAll(state: ClientState): void {
  for (const { seq, state: stage } of state.log.all()) {
    if (stage !== 'answered') state.log.hidden.fresh.add(seq);
  }
}

/** Unshared vnodes have changed without a break: decides again which hidden updates are reported one by one. */
export function announceAgain(state: ClientState): void {
  for (const seqs of state.log.hidden.own.values()) seqs.clear();
  noteAll(state);
}

/** Sends reports at the end of each step: updates that the step itself has sent need none. */
export function sendPendingAnnouncements(state: ClientState): void {
  const {
    log: { hidden },
  } = state;
  noteEnded(state);
  if (!state.session.isUp || !hidden.isHeard) return hidden.forget();
  finishPointless(state);
  const some = hidden.fresh.size + hidden.ended.size + hidden.own.size > 0;
  if (!some && !hidden.isBeginning) return;
  if (state.delays.isHeld(KEY, state.now.at)) return;
  while (hidden.inFlight < ANNOUNCEMENTS_IN_FLIGHT) {
    const marks: Marks = new Map();
    const ends = new Set<Fid>();
    gatherEnds(state, marks, ends);
    const seqs = gatherMarks(state, marks);
    gatherOwn(state, marks, ends);
    gatherDoubtful(state, marks, ends);
    const isAll = hidden.fresh.size + hidden.ended.size + hidden.doubtful.size === 0;
    const complete = isAll && hidden.isBeginning;
    if (complete) hidden.isBeginning = false;
    if (marks.size === 0 && ends.size === 0 && !(complete && hidden.hadMarks)) {
      return reportedIn(state, seqs, null);
    }
    reportedIn(state, seqs, send(state, marks, ends, complete));
    if (isAll) return;
  }
}

/** Reports updates of vnodes that are unshared no more one by one. True: there were some. */
function noteEnded(state: ClientState): boolean {
  const {
    log: { hidden },
    log,
  } = state;
  const ended = state.sharing.promises.takeEnded();
  for (const key of ended) {
    const isVnode = typeof key === 'string';
    const entries = isVnode
      ? [...log.index.onVnode(key), ...log.index.inDirectory(key)]
      : log.all();
    const own = hidden.own.get(isVnode ? volumeOf(key) : key);
    for (const { seq, volume, state: stage } of entries) {
      if (stage === 'answered' || (!isVnode && volume !== key)) continue;
      own?.delete(seq);
      hidden.fresh.add(seq);
    }
  }
  return ended.length > 0;
}

/** For the acknowledgement of a break: what is hidden of what it ends. Undefined: nothing of it was our own. */
export function describeEndedMarks(state: ClientState): HiddenMarksReport | undefined {
  const {
    log: { hidden },
  } = state;
  if (!noteEnded(state) || !state.session.isUp || !hidden.isHeard) return undefined;
  const marks: Marks = new Map();
  gatherMarks(state, marks);
  if (marks.size === 0) return undefined;
  hidden.tell(marks, NONE);
  const more = hidden.fresh.size > 0;
  const told = { number: hidden.nextNumber(), marks: listed(marks), more };
  if (more) {
    hidden.beginAgain();
    noteAll(state);
  }
  return told;
}

/**
 * Announces updates on their way that a later message of ours is about to overtake (rule S5), at once and beyond the limit of messages under way.
 * Each update is announced once, and counts as not on its way from then on.
 */
export function announceNow(state: ClientState, seqs: readonly UpdateSeq[]): void {
  if (!state.session.isUp || !state.log.hidden.isHeard) return;
  let marks: Marks = new Map();
  for (const seq of seqs) {
    const entry = state.log.get(seq);
    if (entry?.state !== 'sent' || entry.isStuck) continue;
    entry.isStuck = true;
    if (!isToBeTold(state, entry)) continue;
    if (marks.size + 2 > MAX_MARKS) {
      send(state, marks, new Set(), false);
      marks = new Map();
    }
    gatherMark(state, entry, marks);
  }
  if (marks.size > 0) send(state, marks, new Set(), false);
}

const listed = (marks: Marks): HiddenMarksReport['marks'] =>
  [...marks].map(([fid, seq]) => ({ fid, seq }));

function send(state: ClientState, marks: Marks, ends: Set<Fid>, complete: boolean): RequestId {
  const {
    log: { hidden },
  } = state;
  hidden.tell(marks, ends);
  hidden.inFlight += 1;
  const body = {
    number: hidden.nextNumber(),
    marks: listed(marks),
    ends: [...ends],
    complete,
  };
  return state.send({ rpc: 'ForwardInvalidate', body }, 'VALIDATE', { for: 'announce' });
}

/** Adds the marks of hidden updates to the message. Returns the updates that it covers: nothing of these is left to announce. */
function gatherMarks(state: ClientState, marks: Marks): UpdateSeq[] {
  const {
    log: { hidden },
  } = state;
  const gathered: UpdateSeq[] = [];
  for (const seq of hidden.fresh) {
    // A rename has two.
    if (marks.size + 2 > MAX_MARKS) break;
    hidden.fresh.delete(seq);
    gathered.push(seq);
    const entry = state.log.get(seq);
    if (entry !== undefined && isToBeTold(state, entry)) gatherMark(state, entry, marks);
  }
  return gathered;
}

function isToBeTold(state: ClientState, entry: LoggedUpdate): boolean {
  const { state: stage, update, volume, seq } = entry;
  if (state.sharing.settings.invalidations === 'no') return false;
  if (state.names.volumes.rightsIn(volume) !== 'write') return false;
  if (stage === 'answered') return false;
  if (isWaitedFor(state, seq)) return true;
  if (stage !== 'sent' || entry.isStuck) return true;
  // The server may have marked its directories for an earlier connection: so we say whether that is so still.
  return state.log.hidden.isBeginning && !changesFile(update);
}

function gatherMark(state: ClientState, { seq, update }: LoggedUpdate, marks: Marks): void {
  const { told, own } = state.log.hidden;
  for (const fid of markedBy(update)) {
    if (isUncommitted(state, fid)) continue;
    if (isForItself(state, fid)) {
      const volume = volumeOf(fid);
      own.set(volume, (own.get(volume) ?? new Set()).add(seq));
      continue;
    }
    const known = marks.has(fid) ? marks.get(fid) : told.get(fid);
    if (!changesFile(update)) {
      if (known === undefined) marks.set(fid, null);
    } else if (known === undefined || (known !== null && known < seq)) marks.set(fid, seq);
  }
}

/** Rule S3: adds whether unshared files and volumes of ours have hidden updates, or have none any more after all others were announced. */
function gatherOwn(state: ClientState, marks: Marks, ends: Set<Fid>): void {
  const {
    log: { hidden },
  } = state;
  for (const [volume, seqs] of hidden.own) {
    if (marks.size >= MAX_MARKS || ends.size >= MAX_MARKS) return;
    const name = unsharedIn(volume);
    const isTold = hidden.told.has(name);
    if (hasHidden(state, seqs)) {
      if (!isTold) marks.set(name, null);
    } else if (hidden.fresh.size === 0) {
      hidden.own.delete(volume);
      if (isTold) ends.add(name);
    }
  }
}

/** Those that have gone are let go of. */
function hasHidden(state: ClientState, seqs: Set<UpdateSeq>): boolean {
  for (const seq of seqs) {
    const entry = state.log.get(seq);
    const isUnderWay = entry?.state === 'sent' && !entry.isStuck;
    if (entry !== undefined && entry.state !== 'answered' && !isUnderWay) return true;
    seqs.delete(seq);
  }
  return false;
}

function gatherEnds(state: ClientState, marks: Marks, ends: Set<Fid>): void {
  const {
    log: { hidden },
  } = state;
  for (const fid of hidden.ended) {
    if (ends.size >= MAX_MARKS || marks.size >= MAX_MARKS) return;
    hidden.ended.delete(fid);
    const known = hidden.told.get(fid);
    if (known === undefined) continue;
    if (known === null) {
      if (state.log.index.unansweredIn(fid) === 0) ends.add(fid);
      continue;
    }
    const last = lastUnanswered(state, fid);
    if (last === null) ends.add(fid);
    else if (last < known) marks.set(fid, last);
  }
}

/** Of doubtful vnodes that are not reported again: those with an unanswered change of the file keep their marks, the others lose them. */
function gatherDoubtful(state: ClientState, marks: Marks, ends: Set<Fid>): void {
  const {
    log: { hidden },
  } = state;
  if (hidden.fresh.size > 0) return;
  for (const fid of hidden.doubtful) {
    if (marks.size >= MAX_MARKS || ends.size >= MAX_MARKS) return;
    hidden.doubtful.delete(fid);
    if (marks.has(fid) || hidden.told.has(fid)) continue;
    const last = lastUnanswered(state, fid);
    if (last === null) ends.add(fid);
    else marks.set(fid, last);
  }
}

/** Of the contents and attributes of a file. */
function lastUnanswered(state: ClientState, fid: Fid): UpdateSeq | null {
  const entries = state.log.index.onVnode(fid);
  const last = entries.findLast((each) => each.state !== 'answered' && changesFile(each.update));
  return last?.seq ?? null;
}

/** Takes the acknowledgement of a ForwardInvalidate, and finishes the closes that wait for it. */
export function onAnnounced(state: ClientState, request: RequestId): void {
  onToldAnswered(state, request);
  state.log.hidden.taken();
  state.delays.succeeded(KEY);
}

/** Takes a failed ForwardInvalidate. `code` null: the connection ended, and the next one reports everything anew. */
export function onAnnounceFailed(
  state: ClientState,
  request: RequestId,
  code: ErrorCode | null,
  jitter: number,
): void {
  const {
    log: { hidden },
  } = state;
  hidden.inFlight -= 1;
  onUntold(state, request);
  if (code === null) return;
  if (code === 'bad-message') {
    state.out.log('error', 'the server does not take what is told of hidden updates');
    hidden.isHeard = false;
    return;
  }
  hidden.beginAgain();
  noteAll(state);
  state.delays.failed(KEY, state.now.at, jitter);
}

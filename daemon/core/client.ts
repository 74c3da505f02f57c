/**
 * The client: `step(event, now)` changes the state and returns what is to be made durable and what is to be done.
 *
 * The handlers record facts; `#evaluate` then decides what follows from them, always in the same order: calls that can be answered,
 * updates and fetches that can be sent, questions that must be asked, waits that have lasted too long.
 */
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { after, milliseconds, type Instant } from '../../shared/model/time.ts';
import type { VnodeStatus } from '../../shared/model/vnode.ts';
import type { ClientRows, RowChange } from '../../shared/ports/client-store.ts';
import type { ConflictRepair } from '../../shared/ports/feed.ts';
import type { Place } from '../../shared/ports/file-system.ts';
import { KEEP_ALIVE_SHARE } from '../limits.ts';
import { keepRecent } from './cache/kept-recent.ts';
import { makeRoom, onDiskRoom, onKeeps, updateCache } from './cache/update-cache.ts';
import { onAdopted, onLocalCopy, sendPendingFetches } from './cache/demand-fetch.ts';
import { onGiven } from './cache/obtain.ts';
import { attempt, isPatient } from './calls/attempt.ts';
import { ClientReports } from './reports/client-reports.ts';
import { onSealed, onStaged } from './calls/open-files.ts';
import { givingUp } from './calls/giving-up.ts';
import type { WaitKey } from './waits/wait-key.ts';
import type { WaitingCall } from './waits/waiting-calls.ts';
import { keepRemovals } from './sharing/kept-removals.ts';
import { sendPendingCatchUp } from './sharing/change-feed.ts';
import { sendPendingAnnouncements, describeEndedMarks } from './sharing/forward-invalidation.ts';
import { onPull } from './sharing/server-pull.ts';
import { sendPendingOrders } from './sharing/sharing-orders.ts';
import { sortByOrders } from './sharing/sort-stores.ts';
import { sendValidations } from './sharing/validation.ts';
import { earlier } from './waits/delays.ts';
import type { Effect } from './effects.ts';
import { onLostAnyCopy, onLostCopy } from './recovery/epoch-change.ts';
import { dropGiven } from './recovery/given-by-others.ts';
import type { Event, FileOutcome, Now, RequestId } from './events.ts';
import { nextFlushDeadline, signalLateFlushes } from './log/flush.ts';
import { onClosed, onEpochChanged, onLeaseLost, sendHello } from './session/hello.ts';
import { onHeldDelay, releaseHeldBack } from './log/held-back.ts';
import {
  chargeBulk,
  connectionTurns,
  countData,
  nextBulk,
  updateBulk,
} from './network/update-bulk-gate.ts';
import { noLongerFollowed } from './names/followed.ts';
import { isUnfinished } from './names/unfinished.ts';
import { askForBlocks } from './names/vnode-blocks.ts';
import { becomeAnotherDevice, isAnotherDevice } from './session/pair-again.ts';
import { onAborted, onReply, onUntaken } from './session/replies.ts';
import { onGroupRead } from './prefetch/group-contents.ts';
import { pinsMayHaveChanged } from './prefetch/pinned-files.ts';
import { sendPendingPrefetch } from './prefetch/prefetch.ts';
import { hear, livenessDue, updateLiveness } from './session/peer-liveness.ts';
import { loadRows } from './session/load-rows.ts';
import { sendPendingLocks } from './lock/keep-locks.ts';
import { isOutdated, pendingEntry, pendingVnode } from './log/pending.ts';
import { ClientState, type ClientConfig } from './state.ts';
import { pathOf, viewPlaces } from './log/view.ts';
import { onApplied } from './log/settle.ts';
import { noteProgress, updateRates } from './log/estimates.ts';
import { sendPendingLowWater, sendTime } from './log/low-water.ts';
import { onChecked } from './cache/check-contents.ts';
import { expediteAll, updateDelays } from './log/queue-status.ts';
import { sendPendingUpdates } from './log/writeback-queue.ts';
import { tellLimit } from './network/transfer-limits.ts';
import { askGone } from './sharing/ask-gone.ts';
import { learnUnseenSides } from './sharing/unseen-sides.ts';
import { retryUnresolved, readSourceAgain } from './conflict/results.ts';
import { giveUpShown } from './conflict/shown-instead.ts';
import { loseAgain, loseWhatFits, onLost, wantedLost } from './conflict/lost-contents.ts';
import { forgetUnused, sendGivenUp } from './sharing/forget-unused.ts';
import { feedKey } from './names/heads.ts';

const AWAY = {
  code: 'not-connected',
  message: 'the server is away, and what this needs is not here',
} as const;

export interface Step {
  readonly rows: readonly RowChange[];
  readonly effects: readonly Effect[];
  /** Something that the status shows may have changed. */
  readonly changed: boolean;
}

/** Runs the pure core of one daemon: each event is a step that returns rows and effects. */
export class Client {
  readonly reports: ClientReports;
  readonly #state: ClientState;

  /** `rows` is all that earlier steps made durable. */
  constructor(config: ClientConfig, rows: ClientRows, now: Now) {
    this.#state = new ClientState(config, now);
    this.reports = new ClientReports(this.#state);
    loadRows(this.#state, rows);
    if (isAnotherDevice(this.#state)) becomeAnotherDevice(this.#state);
  }

  /** For tests that look inside. */
  get inside(): ClientState {
    return this.#state;
  }

  step(event: Event, now: Now): Step {
    const state = this.#state;
    state.now = now;
    state.edition += 1;
    if (state.sharing.promises.expire(now.at)) onLeaseLost(state);
    hear(state, event);
    this.#handle(event);
    onEpochChanged(state);
    this.#evaluate();
    keepRemovals(state);
    keepRecent(state);
    const { changed } = state;
    state.changed = false;
    return { rows: state.out.takeRows(), effects: state.out.takeEffects(), changed };
  }

  /** When `tick` is wanted, if nothing happens before; null: not at all. */
  nextWake(): Instant | null {
    const state = this.#state;
    const {
      session,
      sharing: { promises },
    } = state;
    let first = earlier(session.nextWake(state.now.at), state.delays.next());
    first = earlier(first, nextFlushDeadline(state));
    first = earlier(first, this.#nextGivingUp());
    first = earlier(first, livenessDue(state));
    first = earlier(first, nextBulk(state));
    if (!session.isUp) return first;
    return earlier(earlier(first, this.#keepAliveAt()), promises.leaseEnd);
  }

  pendingVnode(fid: Fid): boolean {
    return pendingVnode(this.#state, fid);
  }

  isOutdated(status: VnodeStatus): boolean {
    return isOutdated(this.#state, status);
  }

  isUnfinished(fid: Fid): boolean {
    return isUnfinished(this.#state, fid);
  }

  pendingEntry(dir: Fid, name: string): boolean {
    return pendingEntry(this.#state, dir, name);
  }

  /** Where a vnode is in the view, as far as that is known here. */
  placesOf(fid: Fid): readonly Place[] {
    return viewPlaces(this.#state, fid);
  }

  /** Of a place in the view, for people. */
  pathOf(place: Place): string {
    return pathOf(this.#state, place);
  }

  adjustments(volume: VolumeId): readonly ConflictRepair[] {
    return this.#state.conflict.adjustments.offered(volume);
  }

  /** The contents that have a row, by name: everything else in the file store is an orphan. */
  contentNames(): Set<string> {
    const names = this.#state.cache.files.names();
    for (const [content] of wantedLost(this.#state)) names.add(content);
    return names;
  }

  /** Something that is logged waits for its delay. */
  hasDelayed(): boolean {
    return this.#state.queue.delayedCount > 0;
  }

  /** Of these, what the server has not confirmed yet. */
  queuedContents(): Set<string> {
    const names = new Set<string>();
    for (const { content, state } of this.#state.log.all()) {
      if (content !== null && state !== 'answered') names.add(content);
    }
    return names;
  }

  /** These are not in the file store, though they have a row: what is only cached is fetched again. */
  missing(names: ReadonlySet<string>): void {
    for (const name of names)
      if (!this.#state.cache.files.isHeld(name)) this.#state.cache.files.left(name);
  }

  #handle(event: Event): void {
    const state = this.#state;
    switch (event.kind) {
      case 'start':
        state.session.start(state.now.at);
        loseAgain(state);
        break;
      case 'connected':
        connectionTurns(state, 'begins');
        sendHello(state, event.token);
        break;
      case 'closed':
        for (const answer of state.sharing.answers.reset()) onUntaken(state, answer);
        connectionTurns(state, 'begins');
        onClosed(state, event.reason, event.detail, event.jitter);
        break;
      case 'reply':
        if (state.sharing.answers.mustWait(event.reply.afterBreak ?? 0, event)) break;
        onReply(state, event);
        break;
      case 'aborted':
        onAborted(state, event.request, event.reason, event.jitter);
        break;
      case 'breaks':
        this.#broken(event);
        break;
      case 'pull':
        onPull(state, event.call, event.fids);
        break;
      case 'call':
        this.#begin(event.call, event.what, event.byProgram === true);
        break;
      case 'cancel':
        state.ended(event.call);
        break;
      case 'file':
        this.#fileDone(event.task, event.outcome);
        break;
      case 'spend':
        state.networks.spending += event.begins ? 1 : -1;
        state.changed = true;
        break;
      case 'readdress':
        if (state.session.readdress(state.now.at)) state.requests.disconnect();
        state.changed = true;
        break;
      case 'hurry':
        expediteAll(state);
        break;
      case 'shown':
        giveUpShown(state, event.at);
        break;
      case 'dismiss':
        state.conflict.list.dismiss(event.conflict);
        state.changed = true;
        break;
      default:
        this.#observe(event);
    }
  }

  #observe(
    event: Extract<
      Event,
      {
        kind:
          | 'progress'
          | 'statistics'
          | 'applied'
          | 'unfollowed'
          | 'pause'
          | 'resume'
          | 'network'
          | 'ending'
          | 'disk'
          | 'keeps'
          | 'received'
          | 'tick';
      }
    >,
  ): void {
    const state = this.#state;
    switch (event.kind) {
      case 'progress': {
        const request = state.requests.get(event.request);
        if (request === undefined) return;
        noteProgress(state, request, event.sentBytes);
        // Another call of the same request counts from zero again.
        const before = request.sentBytes + request.receivedBytes;
        const moved = event.sentBytes + event.receivedBytes;
        chargeBulk(state, request, moved < before ? moved : moved - before);
        request.sentBytes = event.sentBytes;
        request.receivedBytes = event.receivedBytes;
        break;
      }
      case 'statistics':
        state.session.measured(event.link);
        countData(state, event.link.sentBytes, event.link.receivedBytes);
        break;
      case 'network':
        connectionTurns(state, 'goes-on');
        state.networks.used.utcOffsetMs = event.utcOffsetMs;
        state.networks.is(event.facts);
        break;
      case 'applied':
        if (!onApplied(state, event.volume, event.commit)) return;
        break;
      case 'unfollowed':
        noLongerFollowed(state, event.volume);
        break;
      case 'pause':
      case 'resume':
        state.session.pause(event.kind === 'pause');
        state.meta.set('paused', state.session.isPaused);
        state.prefetch.look = true;
        state.waiting.signal({ kind: 'log' });
        break;
      case 'ending':
        state.cache.files.saveUses();
        return connectionTurns(state, 'goes-on');
      case 'disk':
        loseWhatFits(state, event.room.free);
        return onDiskRoom(state, event.room, event.parts);
      case 'keeps':
        return onKeeps(state, event.fid, event.isHere);
      case 'received':
      case 'tick':
        return;
    }
    state.changed = true;
  }

  #broken(event: Extract<Event, { kind: 'breaks' }>): void {
    const state = this.#state;
    for (const item of event.items) {
      state.sharing.promises.broken(item);
      pinsMayHaveChanged(state);
      const { fid, volume } = item.subject;
      if (fid === undefined) state.waiting.signal(feedKey(volume));
    }
    const told = describeEndedMarks(state);
    const about = told === undefined ? {} : { told };
    state.out.emit({ kind: 'acknowledge', call: event.call, ...about });
    if (event.number === undefined) return;
    for (const answer of state.sharing.answers.taken(event.number)) onReply(state, answer);
  }

  #begin(call: number, what: WaitingCall['what'], byProgram: boolean): void {
    const state = this.#state;
    const serial = state.requests.nextSerial();
    state.waiting.begin({
      call,
      what,
      requestId: serial,
      since: state.now.at,
      patient: isPatient(what),
      byProgram,
      waitedFor: 0,
    });
  }

  #fileDone(serial: RequestId, outcome: FileOutcome): void {
    const state = this.#state;
    const purpose = state.tasks.take(serial);
    if (purpose === undefined) return;
    if (!outcome.ok && outcome.code === 'disk-full') makeRoom(state);
    switch (purpose.for) {
      case 'open':
        return onStaged(state, purpose, outcome);
      case 'close':
        return onSealed(state, purpose, outcome);
      case 'fetched':
        return onAdopted(state, purpose, outcome);
      case 'lost-copy':
        return onLostCopy(state, purpose, outcome);
      case 'lost-any-copy':
        return onLostAnyCopy(state, purpose, outcome);
      case 'local-copy':
        return onLocalCopy(state, purpose, outcome);
      case 'group':
        return onGroupRead(state, purpose, outcome);
      case 'lose':
        return onLost(state, purpose.name, outcome);
      case 'check':
        return onChecked(state, purpose.name, outcome);
      case 'given':
        return onGiven(state, purpose, outcome);
    }
  }

  /** The one place where it is decided what follows from the facts. */
  #evaluate(): void {
    const state = this.#state;
    this.#updateSession();
    for (const key of state.delays.due(state.now.at)) {
      state.waiting.signal(key);
      this.#delayOver(key);
    }
    if (state.session.turnsAway(state.now.at)) state.waiting.signalAll();
    signalLateFlushes(state);
    retryUnresolved(state);
    dropGiven(state);
    for (let ready = state.waiting.takeReady(); ready.length > 0;) {
      for (const call of ready) this.#attempt(call);
      ready = state.waiting.takeReady();
    }
    this.#giveUpWaiting();
    sortByOrders(state);
    releaseHeldBack(state);
    updateBulk(state);
    tellLimit(state);
    sendPendingUpdates(state);
    askGone(state);
    learnUnseenSides(state);
    sendPendingCatchUp(state);
    sendPendingFetches(state);
    sendValidations(state);
    // After all that somebody waits for.
    if (sendPendingPrefetch(state)) sendPendingFetches(state);
    sendValidations(state);
    askForBlocks(state);
    sendPendingOrders(state);
    sendPendingLocks(state);
    sendPendingAnnouncements(state);
    sendPendingLowWater(state);
    updateRates(state);
    updateCache(state);
    forgetUnused(state);
    sendGivenUp(state);
  }

  /** Ends a delay: attempts the calls that wait for the key again, and repeats what is retried without a call. */
  #delayOver(key: WaitKey): void {
    const state = this.#state;
    switch (key.kind) {
      case 'source':
        return readSourceAgain(state, key.seq);
      case 'held-back':
        return onHeldDelay(state, key.seq);
      case 'writeback-delay':
        return updateDelays(state);
      case 'prefetch-scan':
      case 'prefetch-guess':
        state.prefetch.look = true;
        return;
      case 'pins':
        return state.prefetch.lookAtAll(state.requests.nextSerial());
      default:
        return;
    }
  }

  #attempt(waiting: WaitingCall): void {
    const state = this.#state;
    if (state.waiting.get(waiting.call) === undefined) return;
    const result = attempt(state, waiting);
    switch (result.kind) {
      case 'done':
        return state.answer(waiting.call, result.value);
      case 'refused':
        return state.refuse(waiting.call, result.code, result.message, result.remedy);
      case 'wait':
        return state.waiting.wait(waiting.call, result.keys);
      case 'working':
        return state.waiting.wait(waiting.call, []);
    }
  }

  #updateSession(): void {
    const state = this.#state;
    switch (state.session.due(state.now.at)) {
      case 'connect':
        state.session.connecting(state.now.at);
        state.out.emit({ kind: 'connect' });
        return;
      case 'give-up':
        state.session.gaveUp();
        state.out.emit({ kind: 'disconnect' });
        return;
      case null:
        if (state.session.isUp && state.now.at >= this.#keepAliveAt()) {
          sendTime(state);
        }
        updateLiveness(state);
    }
  }

  #keepAliveAt(): Instant {
    const { requests, leaseMs } = this.#state;
    return after(requests.lastSent, milliseconds(leaseMs * KEEP_ALIVE_SHARE));
  }

  /** When the first call that waits for the server to come back fails. */
  #nextGivingUp(): Instant | null {
    return givingUp(this.#state)?.at ?? null;
  }

  #giveUpWaiting(): void {
    const state = this.#state;
    for (let next = givingUp(state); next !== null; next = givingUp(state)) {
      if (state.now.at < next.at) return;
      const { code, message } = state.calls.queueInVain(next.call) ?? AWAY;
      state.refuse(next.call, code, message);
    }
  }
}

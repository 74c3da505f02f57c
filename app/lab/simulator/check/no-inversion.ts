/**
 * Checker: no inversion of classes. When a laptop hands a request to its link, nothing of a higher class waits in the laptop that could go:
 * no metadata and no store that is ready (rule W1: what it depends on is committed or on its way), and no contents that a program waits for
 * beside what a folder brings in.
 *
 * What is handed over is ordered by the link itself, strictly by class; what waits in the laptop can only be overtaken here.
 *
 * Allowed: what waits for room among what is on its way in its class (W4: windows), for a delay after a failure, for the end of a pause, or in a
 * log that is sent in its order (the policy `logging`).
 */
import { urgency, type PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { ClientState } from '../../../../daemon/core/state.ts';
import { classOf, isUrgent } from '../../../../daemon/core/log/update-size.ts';
import type { LoggedUpdate } from '../../../../daemon/core/log/update-log.ts';
import {
  BATCHES_IN_FLIGHT,
  DEMANDED_IN_FLIGHT,
  FETCHES_IN_FLIGHT,
  STORES_IN_FLIGHT,
  URGENT_IN_FLIGHT,
} from '../../../../daemon/limits.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';
import { textOf } from '../../../../daemon/core/waits/wait-key.ts';

export const noInversion: CheckerKind = {
  name: 'no inversion of classes',
  make: (report) => new NoInversion(report),
};

class NoInversion implements Checker {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    if (observation.kind !== 'sending') return;
    const { client, priorityClass } = observation;
    const { inside } = client.daemon;
    if (!inside.session.isUp) return;
    const waiting = storeAbove(inside, priorityClass) ?? metadataAbove(inside, priorityClass);
    if (waiting !== null) {
      const { seq, update } = waiting;
      const what = `update ${seq} (${update.op} ${update.fid}) of class ${classOf(waiting)}`;
      this.#found(client, priorityClass, what);
    }
    const wanted = demandAbove(inside, priorityClass);
    if (wanted !== null) this.#found(client, priorityClass, `what a program reads (${wanted})`);
  }

  #found(client: Laptop, priorityClass: PriorityClass, what: string): void {
    this.#report(`${client.name} sends something in class ${priorityClass} while ${what} waits`);
  }
}

function metadataAbove(state: ClientState, sent: PriorityClass): LoggedUpdate | null {
  if (!mayWriteBack(state, 'batch') || state.queue.batchesInFlight >= BATCHES_IN_FLIGHT)
    return null;
  return firstAbove(state, sent, ({ update }) => update.op !== 'store');
}

/** Only what somebody wants at once: in their own class stores wait for the bytes of others, and for networks. */
function storeAbove(state: ClientState, sent: PriorityClass): LoggedUpdate | null {
  const most = STORES_IN_FLIGHT + URGENT_IN_FLIGHT;
  if (!mayWriteBack(state, 'store') || state.queue.storesInFlight >= most) return null;
  return firstAbove(state, sent, (entry) => entry.update.op === 'store' && isUrgent(entry));
}

function mayWriteBack(state: ClientState, kind: 'batch' | 'store'): boolean {
  if (state.session.isPaused || state.queue.settings.policy === 'logging') return false;
  return !state.delays.isHeld({ kind }, state.now.at);
}

function firstAbove(
  state: ClientState,
  sent: PriorityClass,
  isMeant: (entry: LoggedUpdate) => boolean,
): LoggedUpdate | null {
  for (const entry of state.log.all()) {
    if (!isMeant(entry) || urgency(classOf(entry)) >= urgency(sent)) continue;
    // Both queues answer this for any update.
    if (state.queue.data.isReady(entry)) return entry;
  }
  return null;
}

function demandAbove(state: ClientState, sent: PriorityClass): string | null {
  if (
    urgency(sent) <= urgency('FETCH') ||
    state.cache.fetches.running >= FETCHES_IN_FLIGHT + DEMANDED_IN_FLIGHT
  )
    return null;
  for (const { key, into, state: how } of state.cache.fetches.values()) {
    const isWanted = into === 'cache' && how === 'queued' && state.waiting.isAwaited(key);
    if (isWanted && !state.delays.isHeld(key, state.now.at)) return textOf(key);
  }
  return null;
}

/**
 * Checker: every state has its reason (promise 7).
 *
 * - Each state that a laptop reports has its reason in the same status: "synced" has nothing that waits; "syncing" and "trickling" list what waits;
 *   "paused", "offline", "conflict" and "error" have what they are called after. Everything that is counted as waiting has a row, and each row a
 *   reason in words. What is blocked in the queue says what blocks it. Looked at when the laptop has made something durable, once for each revision.
 * - When faults are over and all has settled, nothing waits any longer without an error, a conflict or a person's order that says why: a status that
 *   syncs for ever is wrong, even if it lists reasons.
 */
import type { StatusSnapshot } from '../../../../shared/control/snapshot.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import { NOTES } from '../../../../shared/wire/error-codes.ts';
import { REVISION_INTERVAL } from '../../../../daemon/limits.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

export const reasons: CheckerKind = {
  name: 'every state has its reason',
  make: (report) => new Reasons(report),
};

type Judged = Pick<
  StatusSnapshot,
  | 'state'
  | 'connected'
  | 'paused'
  | 'queues'
  | 'unsettled'
  | 'waiting'
  | 'conflicts'
  | 'errors'
  | 'network'
>;

class Reasons implements Checker {
  readonly #report: Report;
  readonly #looked = new Map<Laptop, number>();
  readonly #said = new Set<string>();

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    if (observation.kind !== 'saved' || !observation.client.running) return;
    const { client } = observation;
    const now = client.clock.now();
    if (now < (this.#looked.get(client) ?? Number.NEGATIVE_INFINITY) + REVISION_INTERVAL) return;
    this.#looked.set(client, now);
    this.#tell(client, fault(client.status));
  }

  async atRest(cluster: Cluster): Promise<void> {
    // A status may be as old as one revision.
    await cluster.pass(milliseconds(2 * REVISION_INTERVAL));
    for (const client of cluster.clients) {
      if (!client.running) continue;
      const { status } = client;
      this.#tell(client, fault(status) ?? standing(status));
    }
  }

  /** Once: a status that is wrong stays so for long. */
  #tell(client: Laptop, found: string | null): void {
    if (found === null || this.#said.has(`${client.name} ${found}`)) return;
    this.#said.add(`${client.name} ${found}`);
    this.#report(`${client.name} ${found}`);
  }
}

/** What a status does not say the reason of; null: it says all. */
export function fault(status: Judged): string | null {
  const { state, connected, paused, conflicts, network = null } = status;
  const { waiting = [], errors, queues, unsettled } = status;
  const queued = queues.metadata.updates + queues.data.updates;
  const counted = queued + unsettled.paths + unsettled.commits;
  const unsaid = waiting.find(({ reason }) => !isSaid(reason));
  if (unsaid !== undefined)
    return `lists ${unsaid.path ?? 'something'} as waiting without a reason`;
  const nameless = errors.find(({ message, remedy }) => !isSaid(message) || !isSaid(remedy));
  if (nameless !== undefined) return `shows the error ${nameless.code} without what it is`;
  if (counted > 0 && waiting.length === 0) {
    return `is ${state}, counts ${counted} that wait, and lists none of them`;
  }
  const isWrong = errors.some(({ code }) => !NOTES.has(code));
  const held = network?.waiting ?? { stores: 0, fetches: 0 };
  const has: Record<StatusSnapshot['state'], boolean> = {
    idle: waiting.length === 0,
    incomplete: waiting.some(({ stands }) => stands === true),
    syncing: waiting.length > 0,
    trickling: held.stores + held.fetches > 0,
    paused,
    offline: !connected,
    conflict: conflicts.length > 0,
    error: isWrong,
  };
  if (has[state]) return null;
  return state === 'idle'
    ? `says that all is synced, and lists ${waiting.length} that wait: ${waiting[0]?.reason ?? ''}`
    : `is ${state}, and nothing in its status is the reason`;
}

/** The fault of a status at rest; null: none. What still waits then needs a person, and the status must say so. */
export function standing({
  state,
  waiting = [],
  errors,
  queues,
  paused,
}: StatusSnapshot): string | null {
  const cancelled = queues.metadata.cancelled + queues.data.cancelled;
  if (waiting.length === 0 || paused || cancelled > 0 || errors.length > 0) return null;
  return `has settled, is ${state}, and waits for ever: ${waiting[0]?.reason ?? ''}`;
}

const isSaid = (text: string): boolean => text.trim() !== '' && !/undefined|null|NaN/.test(text);

/**
 * What moves over the connection, by priority class and direction, for people: headers and contents of calls as they are sent and received, and
 * beside them the bytes of all datagrams. It uses events that the transport emits anyway: nothing runs for it, and nothing is computed before
 * a client asks. Contents count as they are acknowledged or received; a header counts when it is handed over.
 */
import type { ClassRates, TrafficRates } from '../../shared/control/snapshot.ts';
import { PRIORITY_CLASSES, type PriorityClass } from '../../shared/model/priority-class.ts';
import type { Instant } from '../../shared/model/time.ts';
import type { ConnectionStatistics } from '../../shared/ports/transport.ts';
import { RateWindow } from '../../shared/util/rate-window.ts';

export type Direction = 'up' | 'down';

/** A second. What keeps a connection alive is no traffic to people, and must not make a status another one. */
const LEAST_TOLD = 1000;

type Windows = Readonly<Record<Direction, RateWindow>>;

const windows = (): Windows => ({ up: new RateWindow(), down: new RateWindow() });

/** Rates of the traffic with the server, bytes a second, by direction and priority class. */
export class Traffic {
  readonly #all = windows();
  readonly #classes = new Map<PriorityClass, Windows>(
    PRIORITY_CLASSES.map((priorityClass) => [priorityClass, windows()]),
  );
  #last: Pick<ConnectionStatistics, 'sentBytes' | 'receivedBytes'> = {
    sentBytes: 0,
    receivedBytes: 0,
  };

  /** A connection counts from zero again. */
  connected(): void {
    this.#last = { sentBytes: 0, receivedBytes: 0 };
  }

  moved(direction: Direction, priorityClass: PriorityClass, bytes: number, now: Instant): void {
    if (bytes > 0) this.#classes.get(priorityClass)?.[direction].add(bytes, now);
  }

  statistics(latest: ConnectionStatistics, now: Instant): void {
    const { sentBytes, receivedBytes } = latest;
    this.#all.up.add(Math.max(0, sentBytes - this.#last.sentBytes), now);
    this.#all.down.add(Math.max(0, receivedBytes - this.#last.receivedBytes), now);
    this.#last = { sentBytes, receivedBytes };
  }

  rates(now: Instant): TrafficRates {
    const shown = (window: RateWindow): number => {
      const rate = window.perSecond(now);
      return rate < LEAST_TOLD ? 0 : rate;
    };
    const of = ({ up, down }: Windows): ClassRates => ({ up: shown(up), down: shown(down) });
    const classes = [...this.#classes].map(([name, each]) => [name, of(each)] as const);
    // The rate of a class that has just begun covers a shorter time than the total: the sum of classes may exceed it.
    const all = of(this.#all);
    const sum = (way: Direction): number => classes.reduce((so, [, each]) => so + each[way], 0);
    return {
      up: Math.max(all.up, sum('up')),
      down: Math.max(all.down, sum('down')),
      classes: Object.fromEntries(classes) as Record<PriorityClass, ClassRates>,
    };
  }
}

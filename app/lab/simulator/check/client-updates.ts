/**
 * The update logs of laptops, as their databases have them: what is durable and not settled, by number.
 *
 * Laptops may be one device, where a data folder was copied (rule I2), and then each gives the same numbers to updates of its own. An
 * update is identified by its name as well (rule W4).
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Update, UpdateNonce, UpdateSeq } from '../../../../shared/model/update.ts';
import type { UpdateRow } from '../../../../shared/ports/client-store.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

export interface LoggedAt {
  readonly client: Laptop;
  readonly seq: UpdateSeq;
  /** Null: it has left the log. */
  readonly row: UpdateRow | null;
  /** What the log had under that number. */
  readonly before: UpdateRow | null;
}

const NONE: readonly LoggedAt[] = [];

/** Keeps the update logs of all laptops as their databases have them. */
export class ClientUpdates {
  readonly #logs = new Map<Laptop, Map<UpdateSeq, UpdateRow>>();
  readonly #devices = new Map<Laptop, DeviceId>();
  /** What was heard last, and what it gave: several hear of it here. */
  #heard: Observation | null = null;
  #changed: readonly LoggedAt[] = NONE;

  /** Gives what has just changed in a log, in order. */
  hear(observation: Observation): readonly LoggedAt[] {
    if (observation === this.#heard) return this.#changed;
    this.#heard = observation;
    this.#changed = observation.kind === 'saved' ? this.#saved(observation) : NONE;
    if (observation.kind === 'copied') {
      const { from, to } = observation;
      this.#logs.set(to, new Map(this.of(from)));
      this.#paired(to, this.device(from));
    }
    return this.#changed;
  }

  #saved({ client, changes }: Extract<Observation, { kind: 'saved' }>): readonly LoggedAt[] {
    const changed: LoggedAt[] = [];
    for (const { table, key, value } of changes) {
      if (table === 'meta' && key === 'device') this.#paired(client, value ?? null);
      if (table !== 'update') continue;
      const seq = Number(key) as UpdateSeq;
      const log = this.#logOf(client);
      const before = log.get(seq) ?? null;
      if (value === undefined) log.delete(seq);
      else log.set(seq, value);
      changed.push({ client, seq, row: value ?? null, before });
    }
    return changed;
  }

  /** In the order of their numbers. */
  of(client: Laptop): ReadonlyMap<UpdateSeq, UpdateRow> {
    return this.#logOf(client);
  }

  /** Null: it is not paired. */
  device(client: Laptop): DeviceId | null {
    return this.#devices.get(client) ?? null;
  }

  /** The laptops that go by this number of a device and have this update in their logs. */
  having(device: DeviceId, seq: UpdateSeq, name: UpdateNonce | null): Laptop[] {
    const ofDevice = [...this.#devices].filter(([, id]) => id === device);
    const laptops = ofDevice.map(([laptop]) => laptop);
    return laptops.filter((laptop) => this.of(laptop).get(seq)?.name === name);
  }

  /** It may be another device from now on, or none (rule I2). */
  #paired(client: Laptop, device: unknown): void {
    if (typeof device === 'number') this.#devices.set(client, device);
    else this.#devices.delete(client);
  }

  #logOf(client: Laptop): Map<UpdateSeq, UpdateRow> {
    const known = this.#logs.get(client);
    if (known !== undefined) return known;
    const made = new Map<UpdateSeq, UpdateRow>();
    this.#logs.set(client, made);
    return made;
  }
}

export function isMaking({ op }: Update): boolean {
  return op === 'create' || op === 'mkdir' || op === 'symlink';
}

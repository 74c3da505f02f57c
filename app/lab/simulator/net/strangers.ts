/**
 * Strangers at an endpoint in memory: the limits of contract 9 of the Transport port on connections that are not admitted yet. The same rules are in
 * `shared/transport/native/src/link/strangers.rs`.
 */
import type { ConnectionId, StrangerLimits } from '../../../../shared/ports/transport.ts';

const SECOND = 1000;

/** Bounds the connections that are not admitted yet, in all and for each address. */
export class Strangers {
  readonly #limits: StrangerLimits;
  /** By connection, the oldest first. */
  readonly #here = new Map<ConnectionId, string>();
  /** What an address may begin; it fills up with time. */
  readonly #allowances = new Map<string, { left: number; at: number }>();

  constructor(limits: StrangerLimits) {
    this.#limits = limits;
  }

  /** An address asks to begin. False: it has begun too often. */
  mayBegin(address: string, now: number): boolean {
    const { atOnce, perSecond } = this.#limits;
    const before = this.#allowances.get(address) ?? { left: atOnce, at: now };
    const left = Math.min(atOnce, before.left + ((now - before.at) / SECOND) * perSecond);
    this.#allowances.set(address, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1;
  }

  /** A connection of it begins. Gives those that go for it. */
  begins(connection: ConnectionId, address: string): ConnectionId[] {
    const { most, mostOfAddress } = this.#limits;
    const gone: ConnectionId[] = [];
    const ofAddress = [...this.#here].filter(([, each]) => each === address);
    if (ofAddress.length >= mostOfAddress) gone.push(...ofAddress.slice(0, 1).map(([id]) => id));
    for (const id of gone) this.#here.delete(id);
    const [oldest] = this.#here.keys();
    if (this.#here.size >= most && oldest !== undefined) gone.push(oldest);
    for (const id of gone) this.#here.delete(id);
    this.#here.set(connection, address);
    return gone;
  }

  has(connection: ConnectionId): boolean {
    return this.#here.has(connection);
  }

  /** To have begun costs its address nothing. */
  admitted(connection: ConnectionId): void {
    const address = this.#here.get(connection);
    const allowance = address === undefined ? undefined : this.#allowances.get(address);
    if (allowance !== undefined) {
      allowance.left = Math.min(this.#limits.atOnce, allowance.left + 1);
    }
    this.#here.delete(connection);
  }

  ended(connection: ConnectionId): void {
    this.#here.delete(connection);
  }
}

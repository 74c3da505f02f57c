/**
 * Break messages that are not acknowledged, by number and by holder. A message is to one holder and may break promises of several volumes, so
 * the board is the server's; what is outstanding by subject is the volume's (outstanding-breaks.ts).
 *
 * Invariants
 * 1. A message is on the board from the step that makes it until it is acknowledged, or its holder says Hello anew or is away.
 * 2. A holder has one message at most that is not closed, and that is of the step under way.
 */
import type { Instant } from '../../../shared/model/time.ts';
import type { Holder, HolderId, PendingUpdate } from '../device/device.ts';
import type { SubjectKey } from './promise-table.ts';

/** One message to one holder. */
export interface BreakMessage {
  readonly id: number;
  holder: Holder;
  readonly since: Instant;
  readonly keys: SubjectKey[];
  readonly waiters: PendingUpdate[];
  /** Its writers wait no more; the device still has to acknowledge it. */
  owed: boolean;
  sent: boolean;
  /** Some of it is the device's own: it reports what it has hidden of that (rule S1). */
  endsUnshared: boolean;
}

/** Keeps the break messages that are not acknowledged yet, and numbers them. */
export class BreakBoard {
  readonly #byId = new Map<number, BreakMessage>();
  readonly #byHolder = new Map<HolderId, Set<BreakMessage>>();
  /** Those of the step under way. */
  readonly #open = new Map<HolderId, BreakMessage>();
  #lastNumber = 0;

  /** Messages that are not acknowledged. */
  get size(): number {
    return this.#byId.size;
  }

  /** A number for a message that is to be answered: breaks and pulls share them. */
  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** The message of this step to that holder; null: there is none yet. */
  openOf(holder: HolderId): BreakMessage | null {
    return this.#open.get(holder) ?? null;
  }

  /** In the place of the one that was open for its holder. */
  open(message: BreakMessage): void {
    const { id, holder } = message;
    this.#open.set(holder.id, message);
    this.#byId.set(id, message);
    const own = this.#byHolder.get(holder.id);
    if (own === undefined) this.#byHolder.set(holder.id, new Set([message]));
    else own.add(message);
  }

  /** Those of the step under way, in the order of their making; they are closed then. */
  closeAll(): BreakMessage[] {
    if (this.#open.size === 0) return NONE;
    const messages = [...this.#open.values()];
    this.#open.clear();
    return messages;
  }

  /** What is open for the holder is not sent. */
  dropOpen(holder: HolderId): void {
    this.#open.delete(holder);
  }

  /** Null: it was acknowledged, or its holder is gone. */
  get(id: number): BreakMessage | null {
    return this.#byId.get(id) ?? null;
  }

  /** In the order of their making. */
  of(holder: HolderId): BreakMessage[] {
    return [...(this.#byHolder.get(holder) ?? NONE)];
  }

  /** Null: it has none. */
  oldestOf(holder: HolderId): BreakMessage | null {
    for (const message of this.#byHolder.get(holder) ?? NONE) return message;
    return null;
  }

  remove(message: BreakMessage): void {
    this.#byId.delete(message.id);
    const own = this.#byHolder.get(message.holder.id);
    own?.delete(message);
    if (own?.size === 0) this.#byHolder.delete(message.holder.id);
  }

  /** Messages to one holder belong to another from now on. */
  pass(from: HolderId, to: Holder): void {
    const own = this.#byHolder.get(from);
    this.#byHolder.delete(from);
    for (const message of own ?? NONE) message.holder = to;
    if (own !== undefined) this.#byHolder.set(to.id, own);
    const open = this.#open.get(from);
    this.#open.delete(from);
    if (open !== undefined) this.#open.set(to.id, open);
  }
}

const NONE: BreakMessage[] = [];

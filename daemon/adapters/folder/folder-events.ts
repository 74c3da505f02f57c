/**
 * What happens in the folder and concerns several of its parts. Who tells an event does not know who listens; what has to be waited for is called,
 * and is no event.
 */
import type { Place } from '../../../shared/ports/file-system.ts';

export interface PathHint {
  /** The watcher saw it happen. Left out: it did not. */
  readonly live?: boolean;
  /** Of a directory: what is in it may have changed as well. */
  readonly deep?: boolean;
}

/** Each event with what is told of it. */
export interface FolderEventTable {
  /** Something may have changed at a path below the root (slashes between names; '' is the root): it is looked at when it has settled. */
  readonly pathChanged: readonly [path: string, hint?: PathHint];
  /** What the folder says of itself (`unsettled`, `waiting`, `status`) is not what it was. */
  readonly statusChanged: readonly [];
  /** Something is not in place that may go later: it is tried again after a while. */
  readonly retryNeeded: readonly [];
  /** The ignore rules may be others than before. */
  readonly rulesChanged: readonly [];
  /** Something else is mounted in the folder than before, or a mount answers no more, or again. */
  readonly mountsChanged: readonly [];
  /** The root was away and is there again: it may have been touched meanwhile. */
  readonly rootReturned: readonly [];
  /** Names were forgotten here that the volume still has. */
  readonly namesForgotten: readonly [];
  /** What is held back may go: something has changed here that it may have waited for. */
  readonly heldMayGo: readonly [];
  /** All that the feed has told of is in place or held, and no contents are on their way. */
  readonly commitsTaken: readonly [];
  /** A disk of the folder said that it is full. */
  readonly diskFilled: readonly [];
  /** The folder is about to give this name on its disk to a conflict copy, beside what has the name `lost` (rule C4). */
  readonly copyNamed: readonly [place: Place, lost: string];
  /** Work that nobody waits for failed, by a fault of ours. */
  readonly workFailed: readonly [error: unknown];
}

type Listener<E extends keyof FolderEventTable> = (...told: FolderEventTable[E]) => void;

/** Tells the parts of the folder of events of the other parts, at once and in order. */
export class FolderEvents {
  readonly #listeners: { readonly [E in keyof FolderEventTable]: Listener<E>[] } = {
    ...{ pathChanged: [], statusChanged: [], retryNeeded: [], rulesChanged: [], mountsChanged: [] },
    ...{ rootReturned: [], namesForgotten: [], heldMayGo: [], diskFilled: [], workFailed: [] },
    ...{ copyNamed: [], commitsTaken: [] },
  };

  /** `listener` is called at each event of this kind, after those that listened before. */
  on<E extends keyof FolderEventTable>(event: E, listener: Listener<E>): void {
    this.#listeners[event].push(listener);
  }

  /** Calls all who listen before it returns. What one throws is thrown to who tells the event. */
  emit<E extends keyof FolderEventTable>(event: E, ...told: FolderEventTable[E]): void {
    for (const listener of this.#listeners[event]) listener(...told);
  }
}

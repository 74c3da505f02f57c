/** Work on files that is under way, and what each is for: called with its outcome. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Attributes, Handle } from '../../../shared/ports/file-system.ts';
import type { FileTask, Outbox } from '../effects.ts';
import type { CloseChange, RequestId } from '../events.ts';
import type { FetchKey } from './wait-key.ts';

interface VersionOf {
  readonly name: string;
  readonly fid: Fid;
  readonly version: DataVersion;
  readonly digest: Digest;
}

export type TaskPurpose =
  /** The fetched contents of this key are being put away. */
  | ({ readonly for: 'fetched'; readonly key: FetchKey } & VersionOf)
  /** Taken to be offered again (rule I1); `change`: for which change of epoch, by its Hello. */
  | ({ readonly for: 'lost-copy'; readonly change: RequestId } & VersionOf)
  /** The same, where the newest are not here. */
  | {
      readonly for: 'lost-any-copy';
      readonly change: RequestId;
      readonly name: string;
      readonly fid: Fid;
    }
  | ({ readonly for: 'local-copy'; readonly key: FetchKey } & VersionOf)
  | { readonly for: 'check' | 'lose'; readonly name: string }
  /** The list of a file group. */
  | { readonly for: 'group'; readonly fid: Fid; readonly name: string }
  /** `opened` is the answer to the call; `from` a content held meanwhile. */
  | {
      readonly for: 'open';
      readonly call: number;
      readonly opened: { handle: Handle; content: string; attributes: Attributes };
      readonly from: string | null;
    }
  | {
      readonly for: 'close';
      readonly call: number;
      readonly handle: Handle;
      readonly changed: CloseChange;
    }
  /** A file goes to a caller; `name` is held meanwhile. */
  | {
      readonly for: 'given';
      readonly call: number;
      readonly name: string | null;
      readonly length: number;
    };

/** Starts tasks on files, and keeps the purpose of each until it has ended. */
export class Tasks {
  readonly #out: Outbox;
  readonly #running = new Map<RequestId, TaskPurpose>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  get size(): number {
    return this.#running.size;
  }

  run(task: RequestId, work: FileTask, purpose: TaskPurpose): void {
    this.#running.set(task, purpose);
    this.#out.emit({ kind: 'file', task, work });
  }

  /** It has ended; undefined: there is no such task. */
  take(task: RequestId): TaskPurpose | undefined {
    const purpose = this.#running.get(task);
    this.#running.delete(task);
    return purpose;
  }
}

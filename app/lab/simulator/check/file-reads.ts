/** Files that programs open to read, in one session that is there from the question to the answer. */
import type { DeviceId } from '../../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { Instant } from '../../../../shared/model/time.ts';
import type { Attributes, OpenFile } from '../../../../shared/ports/file-system.ts';
import type { FileCall, Observation } from './observation.ts';

interface PendingCall<T> {
  readonly session: Instant;
  readonly about: T;
}

export interface FileRead<T> {
  readonly call: FileCall;
  readonly reader: DeviceId;
  readonly shown: Attributes;
  readonly about: T;
}

/**
 * Finds the opens to read that the server's word alone has answered, with what was noted at their
 * beginning.
 */
export class FileReads<T> {
  readonly #asked = new Map<FileCall, PendingCall<T>>();
  readonly #begin: (fid: Fid, reader: DeviceId, call: FileCall) => T | null;

  /** `begin` gives what is to be known at the answer; null: the read is of no interest. */
  constructor(begin: (fid: Fid, reader: DeviceId, call: FileCall) => T | null) {
    this.#begin = begin;
  }

  /** A read that has just been answered with what is the server's word alone; else null. */
  hear(observation: Observation): FileRead<T> | null {
    switch (observation.kind) {
      case 'asked':
        this.#note(observation.call);
        return null;
      case 'answered':
        return this.#answered(observation.call, observation.value);
      case 'denied':
        this.#asked.delete(observation.call);
        return null;
      case 'restored':
        this.#asked.clear();
        return null;
      case 'ended':
        for (const call of this.#asked.keys()) {
          if (call.client.name === observation.who) this.#asked.delete(call);
        }
        return null;
      default:
        return null;
    }
  }

  #note(call: FileCall): void {
    if (call.method !== 'open' || (call.given[1] as { mode: string }).mode !== 'read') return;
    const { session } = call.client.daemon.inside;
    const fid = call.given[0] as Fid;
    if (!session.isUp || isShut(call)) return;
    const about = this.#begin(fid, deviceOf(call), call);
    if (about !== null) this.#asked.set(call, { session: session.downSince, about });
  }

  #answered(call: FileCall, value: unknown): FileRead<T> | null {
    const asked = this.#asked.get(call);
    if (asked === undefined) return null;
    this.#asked.delete(call);
    const { session } = call.client.daemon.inside;
    if (!session.isUp || session.downSince !== asked.session || isShut(call)) return null;
    const shown = (value as OpenFile).attributes;
    if (shown.sync !== 'committed') return null;
    return { call, reader: deviceOf(call), shown, about: asked.about };
  }
}

function deviceOf({ client }: FileCall): DeviceId {
  return client.daemon.inside.meta.get('device') as DeviceId;
}

/** The session's Hello did not name the volume that is asked about. */
function isShut({ client, given }: FileCall): boolean {
  return client.daemon.inside.names.volumes.get(volumeOf(given[0] as Fid))?.isShut ?? true;
}

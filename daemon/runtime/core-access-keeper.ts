/** Access lists and teams for the control endpoint: each call is one question to the server, and nothing of the answer is kept. */
import type { AccessReport, TeamsReport } from '../../shared/control/access.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { AccessKeeper, AskedRow, TeamChange } from '../../shared/ports/access-keeper.ts';
import type { FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { MAX_LABEL_BYTES } from '../../shared/wire/limits.ts';
import type { PastQuestion } from '../core/events.ts';
import type { CallBroker } from './call-broker.ts';

/** Looks at access lists and teams, and changes them, by asking the server. */
export class CoreAccessKeeper implements AccessKeeper {
  readonly #broker: CallBroker;
  readonly #fileSystem: FileSystem;

  constructor(broker: CallBroker, fileSystem: FileSystem) {
    this.#broker = broker;
    this.#fileSystem = fileSystem;
  }

  async list(volume: string): Promise<AccessReport> {
    return this.#ask({ rpc: 'AccessList', body: { volume: await this.#volume(volume) } });
  }

  async set(volume: string, row: AskedRow): Promise<void> {
    refuseLong(row.name);
    await this.#ask({ rpc: 'SetAccess', body: { volume: await this.#volume(volume), ...row } });
  }

  teams(team: string | null): Promise<TeamsReport> {
    if (team !== null) refuseLong(team);
    return this.#ask({ rpc: 'Teams', body: { team } });
  }

  async changeTeam(change: TeamChange): Promise<void> {
    refuseLong(change.team);
    if (change.ask === 'member') refuseLong(change.name);
    await this.#ask({ rpc: 'ChangeTeam', body: { change } });
  }

  #ask<T>(question: PastQuestion): Promise<T> {
    return this.#broker.call<T>({ op: 'past', question });
  }

  async #volume(name: string): Promise<VolumeId> {
    const found = (await this.#fileSystem.volumes()).find((each) => each.name === name);
    if (found !== undefined) return found.id;
    throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
  }
}

/** Nobody is called so, and the server takes no such message. Throws GodwitError `usage`. */
function refuseLong(name: string): void {
  if (new TextEncoder().encode(name).length <= MAX_LABEL_BYTES) return;
  throw new GodwitError('usage', `a name of more than ${MAX_LABEL_BYTES} bytes is nobody's`);
}

/** Access lists and teams for the control endpoint: each call is one question to the server, and nothing of the answer is kept. */
import type { AccessReport, SharesReport, TeamsReport } from '../../shared/control/access.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { AccessKeeper, AskedRow, TeamChange } from '../../shared/ports/access-keeper.ts';
import type { FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { MAX_LABEL_BYTES } from '../../shared/wire/limits.ts';
import type { ReplyOf } from '../../shared/wire/rpcs.ts';
import type { PastQuestion } from '../core/events.ts';
import type { AttachedFrontEnd } from './attached-front-end.ts';
import type { CallBroker } from './call-broker.ts';

/** Looks at access lists and teams, and changes them, by asking the server. */
export class CoreAccessKeeper implements AccessKeeper {
  readonly #broker: CallBroker;
  readonly #fileSystem: FileSystem;
  readonly #attached: AttachedFrontEnd;

  constructor(broker: CallBroker, fileSystem: FileSystem, attached: AttachedFrontEnd) {
    this.#broker = broker;
    this.#fileSystem = fileSystem;
    this.#attached = attached;
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

  async shares(): Promise<SharesReport> {
    const { shares, person } = await this.#ask<ReplyOf<'Shares'>>({ rpc: 'Shares', body: {} });
    const volumes = await this.#fileSystem.volumes();
    const { current } = this.#attached;
    const mounted = current?.mounted?.() ?? [];
    const found = shares.flatMap(({ volume, own, by }) => {
      const name = volumes.find(({ id }) => id === volume)?.name;
      const path = mounted.find((each) => each.volume === volume)?.path ?? null;
      // Of one that this device has not heard of yet its next Hello tells.
      return name === undefined
        ? []
        : [{ volume: name, own, by, path, isFolder: current?.volume === volume }];
    });
    return { person, shares: found.sort((one, other) => (one.volume < other.volume ? -1 : 1)) };
  }

  async makeVolume(volume: string, label: string, nonce: string): Promise<string> {
    refuseLong(label);
    const body = { volume: await this.#volume(volume), label, nonce };
    const made = await this.#ask<ReplyOf<'MakeVolume'>>({ rpc: 'MakeVolume', body });
    return made.name;
  }

  async leave(volume: string): Promise<void> {
    const body = { volume: await this.#volume(volume) };
    await this.#ask({ rpc: 'LeaveVolume', body }).catch((error: unknown) => {
      // It has ended the connection that waited for the answer.
      if (!(error instanceof GodwitError && error.code === 'no-such-volume')) throw error;
    });
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

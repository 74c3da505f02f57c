/** Access lists and teams for the control endpoint: each call is one question to the server, and nothing of the answer is kept. */
import type { AccessReport, SharesReport, TeamsReport } from '../../shared/control/access.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { sharedNameFault } from '../../shared/model/shared-name.ts';
import type { AccessKeeper, AskedRow, TeamChange } from '../../shared/ports/access-keeper.ts';
import type { FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { isLabel } from '../../shared/wire/fields.ts';
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
    mayExist(row.kind, row.name);
    const body = { volume: await this.#volume(volume), ...row };
    await this.#ask({ rpc: 'SetAccess', body }).catch(whoIsThere);
  }

  async teams(team: string | null): Promise<TeamsReport> {
    if (team !== null) mayExist('team', team);
    return await this.#ask<TeamsReport>({ rpc: 'Teams', body: { team } }).catch(whoIsThere);
  }

  async changeTeam(change: TeamChange): Promise<void> {
    if (change.ask !== 'make-team') mayExist('team', change.team);
    else if (!isLabel(change.team)) throw new GodwitError('usage', `${change.team}: ${OF_TEAMS}`);
    if (change.ask === 'member') mayExist(change.kind, change.name);
    await this.#ask({ rpc: 'ChangeTeam', body: { change } }).catch(whoIsThere);
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
    const fault = sharedNameFault(label);
    if (fault !== null) {
      const why = `it can not be shared under its name: ${fault}`;
      throw new GodwitError('usage', why, 'rename the folder, and share it then');
    }
    const body = { volume: await this.#volume(volume), label, nonce };
    const made = await this.#ask<ReplyOf<'MakeVolume'>>({ rpc: 'MakeVolume', body });
    return made.name;
  }

  async handOver(volume: string, path: readonly string[], shared: string | null): Promise<void> {
    const around = await this.#volume(volume);
    const taker = shared === null ? null : await this.#volume(shared);
    await this.#attached.ask(async (frontEnd) => {
      const above =
        frontEnd?.volume === around
          ? []
          : frontEnd?.mounted?.().find((each) => each.volume === around)?.path;
      if (frontEnd?.handOver === undefined || above === undefined) {
        const why = 'files are shared from a laptop that has them in its folder';
        throw new GodwitError('usage', why, 'share a new folder, then move the files into it');
      }
      await frontEnd.handOver([...above, ...path], taker);
    });
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

/** To a server a name that nobody can have is nonsense, as if it were too old. Throws GodwitError `not-found`. */
function mayExist(kind: 'person' | 'team', name: string): void {
  if (isLabel(name)) return;
  const who = kind === 'team' ? `team @${name}` : `user ${name}`;
  throw new GodwitError('not-found', `there is no ${who}`, WHO_IS_THERE);
}

/** Throws it again: of somebody who is not there, with where people and teams are listed. */
function whoIsThere(error: unknown): never {
  const isNobody = error instanceof GodwitError && error.code === 'not-found';
  throw isNobody ? new GodwitError('not-found', error.message, WHO_IS_THERE) : error;
}

const WHO_IS_THERE =
  'check the name; `godwit team ls` lists your teams, and `godwit server user ls` all people where the server runs';
const OF_TEAMS = 'the name of a team has letters, digits, dots, dashes and underscores';

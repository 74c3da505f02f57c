/** Access lists and teams of the fake daemon: decided as a server does, for a person called ada. */
import { USUAL_SETS, type AccessPicture } from '../../shared/model/access-list.ts';
import { decideAccess, withWrites, type AccessQuestion } from '../../shared/model/decide-access.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { AccessKeeper } from '../../shared/ports/access-keeper.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { settled } from './settled.ts';

const HOME = 1 as VolumeId;
const ADA = 1;

/** Notes each change in `calls`. There is one volume, which ada administers; bob may use it if he is let in. */
export class FakeAccessKeeper implements AccessKeeper {
  readonly #calls: string[];
  #picture: AccessPicture = {
    people: [
      { id: ADA, name: 'ada' },
      { id: 2, name: 'bob' },
    ],
    teams: [],
    entries: [
      {
        volume: HOME,
        principal: { kind: 'person', id: ADA },
        negative: false,
        rights: USUAL_SETS.admin,
      },
    ],
  };

  constructor(calls: string[]) {
    this.#calls = calls;
  }

  list(volume: string): ReturnType<AccessKeeper['list']> {
    return settled(() => {
      const answer = this.#ask({ ask: 'list', volume: volumeNamed(volume) });
      return answer.answer === 'list' ? answer : { own: 0, entries: [] };
    });
  }

  set(volume: string, row: Parameters<AccessKeeper['set']>[1]): Promise<void> {
    this.#calls.push(`set-access ${volume} ${JSON.stringify(row)}`);
    return settled(() => void this.#ask({ ask: 'set', volume: volumeNamed(volume), ...row }));
  }

  teams(team: string | null): ReturnType<AccessKeeper['teams']> {
    return settled(() => {
      const answer = this.#ask({ ask: 'teams', team });
      return answer.answer === 'teams' ? answer : { teams: [] };
    });
  }

  changeTeam(change: Parameters<AccessKeeper['changeTeam']>[0]): Promise<void> {
    this.#calls.push(`change-team ${JSON.stringify(change)}`);
    return settled(() => void this.#ask(change));
  }

  shares(): ReturnType<AccessKeeper['shares']> {
    return settled(() => {
      const answer = this.#ask({ ask: 'shares' });
      const shares = answer.answer === 'shares' ? answer.shares : [];
      const found = shares.map(({ volume, own, by }) => {
        const name = volume === HOME ? 'home' : String(volume);
        return { volume: name, own, by, path: null, isFolder: volume === HOME };
      });
      return { person: 'ada', shares: found };
    });
  }

  makeVolume(volume: string, label: string, nonce: string): Promise<string> {
    this.#calls.push(`make-volume ${volume} ${label} ${nonce}`);
    return settled(() => `${label}-0001`);
  }

  handOver(volume: string, path: readonly string[], shared: string | null): Promise<void> {
    this.#calls.push(`hand-over ${volume} ${path.join('/')} ${shared}`);
    return Promise.resolve();
  }

  leave(volume: string): Promise<void> {
    this.#calls.push(`leave-volume ${volume}`);
    return settled(() => void this.#ask({ ask: 'leave', volume: volumeNamed(volume) }));
  }

  #ask(question: AccessQuestion) {
    const answer = decideAccess(this.#picture, question, { person: ADA });
    if (answer.answer === 'refused') throw new GodwitError(answer.code, answer.message);
    if (answer.answer !== 'done') return answer;
    const { teams, ...picture } = withWrites(this.#picture, answer.writes);
    const made = answer.writes.flatMap((write) =>
      write.what === 'team' && write.id === null
        ? [{ ...write.team, id: teams.length + 1, members: [] }]
        : [],
    );
    this.#picture = { ...picture, teams: [...teams, ...made] };
    return answer;
  }
}

function volumeNamed(name: string): VolumeId {
  if (name === 'home') return HOME;
  throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
}

/** Makes the volume of a folder that a person shares: one with a number and a name that were drawn, and the quota of the volume around the folder. */
import { randomInt } from 'node:crypto';
import { USUAL_SETS } from '../../../shared/model/access-list.ts';
import type { AccessAnswer, AccessWrite } from '../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { sharedName } from '../../../shared/model/shared-name.ts';
import { giveAccess } from './access-rows.ts';
import { makeVolume } from './stored-state.ts';
import type { Statements } from './statements.ts';

type Asked = Extract<AccessWrite, { what: 'volume' }>;

const MAX_NUMBER = 2 ** 32;
/** Numbers below are those of volumes that were there before numbers were drawn. */
const LEAST_DRAWN = 0x10000;
/** As many short names are tried before a long one: so many are taken only where nearly all are. */
const SHORT_TRIES = 64;
/** What nobody had: nothing is left of one that has ended, either. */
const TAKEN = ['SELECT 1 FROM volume WHERE id = ?', 'SELECT 1 FROM vnode WHERE volume = ? LIMIT 1'];

/** Its maker may do everything there. In a transaction of the caller. */
export function makeShared(statements: Statements, asked: Asked): AccessAnswer {
  const { volume: from, label, nonce, by, when } = asked;
  const [volume, name] = drawn(statements, label);
  makeVolume(statements, { id: volume, name, when });
  statements.run(
    'UPDATE volume SET owner = ?, made = ?, quota = (SELECT quota FROM volume WHERE id = ?) WHERE id = ?',
    ...[by, nonce, from, volume],
  );
  giveAccess(statements, { user: by, volume, rights: USUAL_SETS.admin });
  return { answer: 'made', volume, name };
}

function drawn(statements: Statements, label: string): [VolumeId, string] {
  for (let tries = 0; ; tries += 1) {
    const number = randomInt(LEAST_DRAWN, MAX_NUMBER) as VolumeId;
    const name = sharedName(label, number, tries >= SHORT_TRIES);
    const isFree =
      TAKEN.every((sql) => statements.get(sql, number) === null) &&
      statements.get('SELECT 1 FROM volume WHERE name = ?', name) === null;
    if (isFree) return [number, name];
  }
}

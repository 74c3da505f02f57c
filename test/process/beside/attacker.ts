/**
 * `attacker.ts ATTACK INVITATION FOLDER FID...`: one attack, in a process of its own. It says `ready` and obeys lines: `begin`; `rest`, which it
 * answers with how many of its messages were answered in all, when none is under way any more; and `end`.
 */
import { createInterface } from 'node:readline';
import type { Fid } from '../../../shared/model/fid.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';
import { present } from '../../../shared/util/assert.ts';
import { ATTACKS } from './attacks.ts';
import { Peer } from './peer.ts';

const [name, text = '', folder = '', ...files] = process.argv.slice(2);
const attack = present(
  ATTACKS.find((each) => each.name === name),
  'an attack has a name of the table',
);
const invitation = present(parseInvitation(text), 'an invitation');
const peer = await Peer.pair(folder, invitation);
const shoot = await attack.prepare(peer, files as Fid[]);
let isOn = false;
let answered = 0;
/** Those that shoot. */
let shooting: Array<Promise<void>> = [];

async function shootOn(): Promise<void> {
  while (isOn) {
    await shoot().catch(() => undefined);
    answered++;
  }
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'begin') {
    isOn = true;
    shooting = Array.from({ length: attack.atOnce }, () => shootOn());
  }
  if (line === 'rest') {
    isOn = false;
    await Promise.all(shooting);
    process.stdout.write(`${answered}\n`);
  }
  if (line === 'end') break;
}
await peer.end();

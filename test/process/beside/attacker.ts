/**
 * `attacker.ts ATTACK INVITATION FOLDER FID...`: one attack, in a process of its own. It says `ready`, begins when a line comes, and ends with its
 * input: then it tells how many of its messages were answered.
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
let isOver = false;
let answered = 0;

async function shootOn(): Promise<void> {
  while (!isOver) {
    await shoot().catch(() => undefined);
    answered++;
  }
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'begin') for (let n = 0; n < attack.atOnce; n++) void shootOn();
  if (line === 'end') break;
}
isOver = true;
process.stdout.write(`${answered}\n`);
await peer.end();

/** An invitation for people at a terminal: what it is for, and a picture that a camera reads. */
import { renderUnicodeCompact } from 'uqr';
import { formatHostPort } from '../../../shared/model/host-port.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';

/** Light on dark, whatever the theme of the terminal: cameras want dark modules on a light ground, and blocks are the ground. */
const LIGHT_ON_DARK = '\x1b[97;40m';
const PLAIN = '\x1b[0m';

/** Empty where the terminal is too narrow for it. */
export function qrLines(text: string, columns: number): string[] {
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n');
  const isTooWide = lines.some((line) => line.length > columns);
  return isTooWide ? [] : lines.map((line) => `${LIGHT_ON_DARK}${line}${PLAIN}`);
}

/** `isGuess`: nobody has said by which address the server is found. */
export function invitationHelp(invitation: string, hours: number, isGuess: boolean): string[] {
  const parsed = parseInvitation(invitation);
  const address = parsed === null ? '' : formatHostPort(parsed);
  const guess = isGuess ? ', which is a guess (--address says otherwise)' : '';
  return [
    `It is for one device, for ${hours} hours. Laptops find the server at ${address}${guess}.`,
    'On the laptop: godwit up --folder ~/Godwit --invite -   (paste it, Enter, Ctrl-D)',
  ];
}

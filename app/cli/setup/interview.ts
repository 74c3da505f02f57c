/** What `godwit server setup` asks a person at a terminal. */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { formatHostPort, type HostPort } from '../../../shared/model/host-port.ts';
import { parsePublicAddress, type Guess } from './public-address.ts';

export interface Talk {
  /** What the person types, without its end of line; null: there is no more. */
  readonly ask: (question: string) => Promise<string | null>;
  readonly say: (line: string) => void;
}

export interface Usual {
  /** What was set before; null: nothing. */
  readonly address: string | null;
  readonly port: number;
  readonly guess: Guess;
}

/** After so many answers that make no sense nobody is there. */
const MOST_TRIES = 5;

/** Asks for the port and the address. An empty answer takes what is in brackets. Throws GodwitError `usage`. */
export async function interview(
  talk: Talk,
  usual: Usual,
): Promise<{ port: number; address: HostPort }> {
  const port = await answered(
    talk,
    `UDP port that the server listens on [${usual.port}]: `,
    (text) => (text === '' ? usual.port : portOf(text)),
  );
  const { guess } = usual;
  if (usual.address === null) {
    talk.say(`By which name or address do laptops find this server? ${guess.host} is a guess.`);
    if (guess.isPrivate) {
      talk.say(
        'It is private: only laptops in the same network reach it. Behind a router, give the',
      );
      talk.say(
        `router's outer name or address, and let it forward UDP port ${port} to this machine.`,
      );
    }
  }
  const known = usual.address ?? formatHostPort({ host: guess.host, port });
  const address = await answered(talk, `Address for laptops [${known}]: `, (text) =>
    parsePublicAddress(text === '' ? known : text, port),
  );
  return { port, address };
}

/** Asks until the answer makes sense. */
async function answered<T>(talk: Talk, question: string, parse: (text: string) => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    const text = await talk.ask(question);
    if (text === null) throw new GodwitError('usage', 'setup ended without an answer');
    try {
      return parse(text.trim());
    } catch (error) {
      if (!(error instanceof GodwitError) || tries === MOST_TRIES) throw error;
      talk.say(`${error.message}; ${error.remedy}`);
    }
  }
}

/** Throws GodwitError `usage`. */
export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 0xffff) return port;
  throw new GodwitError('usage', `${text}: not a port`, 'give a number from 1 to 65535');
}

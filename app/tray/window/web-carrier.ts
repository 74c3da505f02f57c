/**
 * The page in a browser: its calls go to the daemon that served it. The token of the address is exchanged once, and taken out of the
 * address; the key of the session outlives a reload of the page, and not its tab.
 */
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { resultOf, type CallTransport } from '../view/api.ts';

const KEY = 'godwit-key';
const TOKEN = '#token=';

/**
 * Makes the transport of a page in a browser, which calls the daemon over HTTP. It first exchanges
 * the token of the address, if there is one, for a key. Throws CallError if the daemon refuses the
 * token.
 */
export async function webTransport(): Promise<CallTransport> {
  const { hash } = location;
  if (hash.startsWith(TOKEN)) {
    history.replaceState(null, '', location.pathname);
    const token = hash.slice(TOKEN.length);
    const { key } = await resultOf<{ key: string }>(post('/v1/session', { token }));
    sessionStorage.setItem(KEY, key);
  }
  return {
    status: (revision, waitMs) => post('/v1/status', { revision, waitMs }),
    command: (name, args) => post(`/v1/command/${name}`, args),
    program: null,
  };
}

/** Where nobody answers, that is an answer: the daemon has ended. */
async function post(path: string, body: object): Promise<ControlReply> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [KEY]: sessionStorage.getItem(KEY) ?? '' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as ControlReply;
  } catch {
    return { ok: false, error: { code: 'not-running', message: '', remedy: '' } };
  }
}

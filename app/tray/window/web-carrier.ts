/**
 * The page in a browser: its calls go to who served it, a daemon or a first run of `godwit ui`. The token of the address is exchanged once, and taken out of the
 * address; the key of the session outlives a reload of the page, and not its tab.
 */
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { resultOf, type CallTransport, type FirstRunTransport } from '../view/api.ts';

const KEY = 'godwit-key';
/** Whether the page is that of a first run: kept with the key. */
const FIRST_RUN = 'godwit-first-run';
const TOKEN = '#token=';

/**
 * Makes the transport of a page in a browser, which calls over HTTP who served it. It first exchanges
 * the token of the address, if there is one, for a key. Throws CallError if the
 * token is refused.
 */
export async function webTransport(): Promise<CallTransport> {
  const { hash } = location;
  if (hash.startsWith(TOKEN)) {
    history.replaceState(null, '', location.pathname);
    const token = hash.slice(TOKEN.length);
    const told = await resultOf<Session>(post('/v1/session', { token }));
    sessionStorage.setItem(KEY, told.key);
    sessionStorage.setItem(FIRST_RUN, told.firstRun === true ? 'yes' : '');
  }
  const isFirst = sessionStorage.getItem(FIRST_RUN) === 'yes';
  if (isFirst) void stay();
  return {
    status: async (revision, waitMs) => someStatus(await post('/v1/status', { revision, waitMs })),
    command: (name, args) => post(`/v1/command/${name}`, args),
    program: null,
    firstRun: isFirst ? firstRun : null,
  };
}

interface Session {
  readonly key: string;
  readonly firstRun?: boolean;
}

const NOBODY: ControlReply = {
  ok: false,
  error: { code: 'not-running', message: '', remedy: '' },
};

/** A first run answers null as long as there is no daemon. */
const someStatus = (told: ControlReply): ControlReply =>
  told.ok && told.result === null ? NOBODY : told;

const call = (name: string, args: object = {}): Promise<ControlReply> =>
  post(`/v1/first-run/${name}`, args);

const firstRun: FirstRunTransport = {
  isNew: () => call('is-new'),
  usualFolder: () => call('usual-folder'),
  join: (invitation, folder, name) => call('join', { invitation, folder, name }),
  serve: (folder, name) => call('serve', { folder, name }),
  open: () => call('open'),
  autostart: (set) => call('autostart', { set }),
  finish: () => call('finish'),
};

/** Holds a request as long as the page is there, so that the set-up ends with it. */
async function stay(): Promise<void> {
  while ((await call('stay')).ok);
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
    return NOBODY;
  }
}

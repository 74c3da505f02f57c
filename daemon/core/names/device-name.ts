/**
 * What this laptop is called. The server keeps the names of devices (RenameDevice); a daemon tells its own where it was changed on this
 * machine while the daemon did not run, and else takes what it is told.
 *
 * The name that the server has told or taken last is durable. Settings with another one were changed by a person: `godwit up --name`.
 */
import { deviceNameFault } from '../../../shared/model/device-name.ts';
import { NAMES_KEPT_FROM } from '../../../shared/wire/device-rpcs.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { ClientState } from '../state.ts';
import { done, refused, waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';

/** Of `meta`. */
export const NAME_KEY = 'device-name';

/** Signalled, as all facts are, with each session. */
const SESSION_KEY = { kind: 'session' } as const;

/** The session is up: what the server says holds, unless a person has said otherwise here since. */
export function onNameTold(state: ClientState, reply: ReplyOf<'Hello'>): void {
  if (reply.protocol < NAMES_KEPT_FROM) return;
  const told = reply.deviceName ?? state.deviceName;
  const kept = state.meta.get(NAME_KEY);
  const isMeant = typeof kept === 'string' && kept !== state.deviceName;
  if (!isMeant || told === state.deviceName) return take(state, told);
  const purpose = { for: 'rename', call: null, name: state.deviceName } as const;
  state.send({ rpc: 'RenameDevice', body: { name: state.deviceName } }, 'STORE_ATTR', purpose);
}

/** A person says it. Refuses with `usage`, `not-connected`, `server-too-old`, `device-name-taken`. */
export function attemptRenameDevice(state: ClientState, call: number, name: string): Attempt {
  const fault = deviceNameFault(name);
  if (fault !== null) return refused('usage', `a laptop can not be called so: ${fault}`);
  if (!state.session.isUp) return waitFor(SESSION_KEY);
  if (Number(state.meta.get('protocol') ?? 1) < NAMES_KEPT_FROM) {
    return refused('server-too-old', 'the server takes a name only from `godwit up --name`');
  }
  if (name === state.deviceName && name === state.meta.get(NAME_KEY)) return done(null);
  state.send({ rpc: 'RenameDevice', body: { name } }, 'STORE_ATTR', { for: 'rename', call, name });
  return WORKING;
}

/** The server has the name. */
export function onRenamed(
  state: ClientState,
  { call, name }: { readonly call: number | null; readonly name: string },
): void {
  take(state, name);
  if (call !== null && state.waiting.get(call) !== undefined) state.answer(call, null);
}

/** Nobody waits for it. `code` null: the connection ended; the next Hello says what the laptop is called. */
export function onRenameRefused(state: ClientState, name: string, code: ErrorCode | null): void {
  const kept = state.meta.get(NAME_KEY);
  if (code === null || code === 'server-closing' || typeof kept !== 'string') return;
  state.out.log('warn', 'the server does not take the name of this laptop', { name, code });
  take(state, kept);
}

function take(state: ClientState, name: string): void {
  if (state.meta.get(NAME_KEY) !== name) state.meta.set(NAME_KEY, name);
  if (state.deviceName === name) return;
  state.deviceName = name;
  state.changed = true;
  state.out.emit({ kind: 'renamed', name });
  state.out.log('info', 'this laptop is called otherwise', { name });
}

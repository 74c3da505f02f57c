import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ClientState } from '../state.ts';

/**
 * Takes the failure of a request that a call made to the server to do `what`. The call waits for the next session if the connection ended (`code`
 * null) or the server is closing. Else it is refused, with `server-too-old` if the server does not know the RPC.
 */
export function onCallRefused(
  state: ClientState,
  call: number,
  code: ErrorCode | null,
  detail: string,
  what: string,
): void {
  if (state.waiting.get(call) === undefined) return;
  // The connection to a server that is closing ends soon. The call is signalled, as all are, with each session.
  if (code === null || code === 'server-closing') {
    return state.waiting.wait(call, [{ kind: 'session' }]);
  }
  // What a server does not know, it takes for nonsense.
  if (code === 'bad-message') {
    return state.refuse(call, 'server-too-old', `the server is too old to ${what}`);
  }
  if (code === 'device-name-taken') {
    return state.refuse(call, code, 'another laptop of yours is called so');
  }
  if (code === 'no-such-volume' && detail === '') {
    return state.refuse(call, code, 'this device may not see the volume any more');
  }
  state.refuse(call, code, detail === '' ? `the server does not ${what}` : detail);
}

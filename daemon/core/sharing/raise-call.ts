/** A store that is being sent goes in another class from now on: what it is for has become more urgent. */
import { announcePassed } from './passed.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { classOf } from '../log/update-size.ts';

/** The call that is sending a store; undefined: none is. */
export function callOf(state: ClientState, { seq }: LoggedUpdate): OpenRequest | undefined {
  for (const request of state.requests.values()) {
    const { purpose } = request;
    if (purpose.for === 'store' && purpose.seq === seq) return request;
  }
  return undefined;
}

/** To the class that it would be sent in now. One that somebody waits for is in the highest already. */
export function expediteStore(state: ClientState, entry: LoggedUpdate): void {
  const call = callOf(state, entry);
  if (call === undefined || entry.expedited) return;
  announcePassed(state, classOf(entry), new Set([call]));
  state.requests.expedite(call, classOf(entry));
}

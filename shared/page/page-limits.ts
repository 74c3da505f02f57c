/** Limits of the page endpoint, each with its reason. */
import { seconds } from '../model/time.ts';

/** No person types a token: a browser opens with it at once, on a slow machine after some seconds. */
export const TOKEN_LIFE = seconds(60);

/** Unused tokens: a person opens a few windows; a loop must not fill the memory. The oldest is dropped. */
export const MOST_TOKENS = 16;

/** Pages that are signed in; the oldest has to be opened again. */
export const MOST_SESSIONS = 16;

/** Requests of all pages together: each holds one status request and loads what it shows. */
export const MOST_CONNECTIONS = 64;

/** A request must have arrived whole in this time, in milliseconds; answers may take as long as they need. */
export const REQUEST_TIME_MS = 10_000;

/** How long a close waits for answers that are on their way out, in milliseconds. */
export const CLOSE_GRACE_MS = 1000;

/** A file of the page: all of it lies in memory. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;

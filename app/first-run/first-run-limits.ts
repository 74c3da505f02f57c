/** Limits of the set-up in a browser, each with its reason. */
import { minutes, seconds } from '../../shared/model/time.ts';

/** Nobody has opened the page: its address is good for a minute (shared/page/page-limits.ts), and a browser takes some seconds. */
export const UNOPENED = seconds(90);

/** The page was closed: a reload, which looks the same at first, is back within seconds also on a slow machine. */
export const CLOSED = seconds(10);

/** The page is open and nobody does anything: long enough to fetch an invitation from another machine. */
export const IDLE = minutes(30);

/** Characters of a text that a page sends: more than an invitation, a path or a name has. */
export const MOST_TEXT = 10_000;

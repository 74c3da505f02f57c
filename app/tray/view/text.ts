/**
 * What the tray and its page say, in the language of the reader. Another language is another object of this shape, beside
 * `english/`; what the daemon says (messages of errors, names of networks) comes through as it is.
 */
import { ENGLISH } from './english/english.ts';

export type Words = typeof ENGLISH;

export const TEXT: Words = ENGLISH;

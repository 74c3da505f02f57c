/** What a row of the table of commands (commands.ts) is. */
import type { z } from 'zod';

/** Who of ours asks for a command. Any program of the same user may; the page may ask for what is for the window, and for nothing else. */
export type Caller = 'cli' | 'window' | 'program';

export interface Command {
  /** What it does, for people who write programs. */
  readonly says: string;
  readonly callers: readonly Caller[];
  /** Judges the body of the request. */
  readonly args: z.ZodType;
  /** The type of the answer. There is no value in it: an answer is the daemon's own, and is judged by nobody. */
  readonly answer: Answer<unknown>;
  /** It answers when something is done, and not at once: a client gives it a connection of its own. */
  readonly isLong?: true;
}

declare const OF: unique symbol;
export interface Answer<T> {
  readonly [OF]?: T;
}

/** Names the type of a command's answer. */
export const answer = <T>(): Answer<T> => ({});

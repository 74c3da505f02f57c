/**
 * A scope bounds the world: who is there, what may be done and how often, and what the world may do to it. Within it
 * the search looks at every interleaving.
 */

/** What an application may do. A file made anew is named after its fid. */
export type Operation =
  | { readonly do: 'save'; readonly file: string }
  | { readonly do: 'create'; readonly dir: string; readonly file: string }
  | { readonly do: 'remove'; readonly dir: string; readonly name: string }
  | { readonly do: 'link'; readonly dir: string; readonly name: string; readonly to: string }
  | { readonly do: 'rename'; readonly dir: string; readonly name: string; readonly to: string }
  /** Opens it, which asks the server unless there is a promise. Costs nothing of the budget of operations. */
  | { readonly do: 'open'; readonly what: string };

export interface Person {
  /** What it may do, in any order, `operations` in all, and `opens` opens that ask the server. */
  readonly may: readonly Operation[];
  readonly operations: number;
  readonly opens: number;
  /** Connected at the start, with a lease. A `spare` place is nobody until a data folder is copied to it. */
  readonly start: 'connected' | 'disconnected' | 'spare';
  /** Cached at the start, with a promise. */
  readonly promised: readonly string[];
  /** Of those: held alone, by the grant "unshared". */
  readonly unshared?: readonly string[];
  /** Its queue waits until someone lets it go on. */
  readonly paused?: boolean;
}

/** How often each may happen. */
export interface Events {
  readonly cut: number;
  readonly connect: number;
  /** Silence as long as a lease: first the client's lease ends, then the server's. */
  readonly lapse: number;
  readonly crash: number;
  readonly restart: number;
  readonly restore: number;
  readonly sleep: number;
  readonly copy: number;
  readonly resume: number;
}

export interface Scope {
  readonly name: string;
  readonly about: string;
  readonly people: readonly Person[];
  readonly files: readonly string[];
  /** Each with what it holds at the start. */
  readonly dirs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly events: Events;
  /** A reader may find its wait too long (rule S4) although the writer is there. */
  readonly impatient: boolean;
  /** Messages of one class may overtake each other too, as streams of their own may. */
  readonly unordered: boolean;
  /** How many steps deep continuous integration searches; null is to the end. */
  readonly depth: number | null;
}

export const NOTHING_HAPPENS: Events = {
  cut: 0,
  connect: 0,
  lapse: 0,
  crash: 0,
  restart: 0,
  restore: 0,
  sleep: 0,
  copy: 0,
  resume: 0,
};

/** One line of `strace -f -ttt`: whose it is, when, and what. */
import { numberOf, splitArguments } from './strace-text.ts';

export interface Call {
  readonly name: string;
  readonly args: readonly string[];
  /** null: not known, or not a number. */
  readonly result: number | null;
  /** Such as ENOENT. */
  readonly error: string | null;
  /** All of the arguments. */
  readonly text: string;
}

export type StraceEvent =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'begun'; readonly text: string }
  | { readonly kind: 'resumed'; readonly name: string; readonly text: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'nothing' };

export interface StraceLine {
  /** null: the line says none. */
  readonly pid: number | null;
  /** Microseconds since 1970. */
  readonly us: number;
  readonly event: StraceEvent;
}

/** A number of a process that strace has just begun to follow. */
export function attachedProcess(text: string): number | null {
  const match = /^(?:strace: )?(?:\[pid +\d+\] )?Process (\d{1,10}) attached/.exec(text);
  return match === null ? null : Number(match[1]);
}

/** What strace says of itself. */
export const isChatter = (text: string): boolean =>
  text.trim() === '' || /^(?:strace: )?(?:\[ ?Process|Process \d+ |strace: )/.test(text);

const PREFIX = /^(?:\[pid +(\d{1,10})\] +|(\d{1,10}) +)?(\d{1,12})\.(\d{1,9}) +(.*)$/s;

/** The line; or what was expected. */
export function parseStraceLine(text: string): StraceLine | string {
  const match = PREFIX.exec(text);
  if (match === null) return 'expected a time in seconds since 1970, as of strace -ttt';
  const [, bracketed, plain, seconds = '', fraction = '', rest = ''] = match;
  const event = eventOf(rest);
  if (typeof event === 'string') return event;
  const pid = bracketed ?? plain;
  return {
    pid: pid === undefined ? null : Number(pid),
    us: Number(seconds) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6)),
    event,
  };
}

function eventOf(text: string): StraceEvent | string {
  if (text.startsWith('+++ '))
    return /^\+\+\+ (?:exited|killed)/.test(text) ? { kind: 'ended' } : { kind: 'nothing' };
  if (text.startsWith('--- ')) return { kind: 'nothing' };
  const resumed = /^<\.\.\. (\w+) resumed>,? ?(.*)$/s.exec(text);
  if (resumed !== null) {
    return { kind: 'resumed', name: resumed[1] ?? '', text: resumed[2] ?? '' };
  }
  const begun = /^(\w+\(.*?),? ?<unfinished \.\.\.>(?:\) += \?)?$/s.exec(text);
  if (begun !== null) return { kind: 'begun', text: begun[1] ?? '' };
  const call = parseCall(text);
  return typeof call === 'string' ? call : { kind: 'call', call };
}

/** The two halves of a call that another one has interrupted. */
export function joinedCall(begun: string, resumed: string): Call | string {
  const separator = /[(,]\s*$/.test(begun) || /^\s*[),]/.test(resumed) ? '' : ', ';
  return parseCall(`${begun}${separator}${resumed}`);
}

function parseCall(text: string): Call | string {
  const name = /^(\w+)\(/.exec(text)?.[1];
  if (name === undefined) return 'expected a call such as close(3) = 0';
  const args = splitArguments(text, name.length + 1);
  if (args === null) return `expected the end of the arguments of ${name}`;
  const rest = /^\s*= (\S+)(.*)$/s.exec(text.slice(args.end));
  if (rest === null) return `expected the result of ${name}`;
  const [, value = '', more = ''] = rest;
  const error = /^ (E[A-Z\d]+)\b/.exec(more)?.[1] ?? null;
  return {
    name,
    args: args.list,
    result: numberOf(/^(-?\d+|0x[\da-f]+)/.exec(value)?.[1]),
    error: error ?? (value === '?' ? 'ERESTART' : null),
    text: text.slice(name.length + 1, args.end - 1),
  };
}

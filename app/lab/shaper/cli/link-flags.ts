/**
 * The conditions of `godwit link` as flags: each for both directions, and with `--up-` or `--down-` before it for one, which counts more.
 */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  CLEAR,
  ConditionsError,
  checkConditions,
  type Conditions,
  type Outage,
  type QueueBound,
  type RateStep,
} from '../conditions.ts';
import { parseRate, parseRateTrace } from '../rate-trace.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { parseBytes } from '../../../cli/arguments.ts';
import { flag } from '../../../cli/cli.ts';
import { about } from '../../../cli/errors.ts';

export interface ConditionFlags {
  readonly rate?: number;
  readonly trace?: readonly RateStep[];
  readonly burst?: number;
  readonly queue?: QueueBound;
  readonly delay?: number;
  readonly jitter?: number;
  readonly loss?: number;
  readonly outage?: readonly Outage[];
}

type Row = readonly [keyof ConditionFlags, string, string, (text: string) => unknown];

const ROWS: readonly Row[] = [
  ['rate', '<rate>', 'such as 256KiB/s, 1MB/s, 2Mbit/s; headers count', parseConstantRate],
  ['trace', '<file>', 'rates as time goes on: lines of SECONDS,RATE', readTrace],
  ['burst', '<size>', 'what an idle line sends at once (default: 0)', parseBytes],
  ['queue', '<bound>', 'what waits before the line: 250ms or 64KiB (default: 250ms)', parseQueue],
  ['delay', '<time>', 'on the way, such as 25ms (default: 0ms)', parseMilliseconds],
  ['jitter', '<time>', 'so much more or less delay (default: 0ms)', parseMilliseconds],
  ['loss', '<percent>', 'lost by chance, such as 0.5%', parsePercent],
  ['outage', '<list>', 'nothing passes: 10s+2s,1m+500ms is from 10 s for 2 s ...', parseOutages],
];

const DIRECTIONS = ['', 'up-', 'down-'] as const;

/** Adds the flags for the conditions of a link to a command, for both directions and for each. */
export function addConditionFlags(command: Command): void {
  for (const prefix of DIRECTIONS) {
    for (const [name, value, text, parse] of ROWS) {
      const told = prefix === '' ? text : `--${name}, ${prefix.slice(0, -1)} only`;
      flag(
        command,
        `--${prefix}${name} ${value}`,
        told,
        undefined,
        asUsage(`${prefix}${name}`, parse),
      );
    }
  }
}

/** What the flags of one direction, over those of both, make of a link. */
export function conditionsOf(
  flags: Readonly<Record<string, unknown>>,
  direction: 'up' | 'down',
): Conditions {
  const both = flags as ConditionFlags;
  const own = ownFlags(flags, direction);
  for (const { rate, trace } of [both, own]) {
    if (rate === undefined || trace === undefined) continue;
    throw new GodwitError('usage', 'link: either --rate or --trace, not both');
  }
  const rateOf = ({ rate, trace }: ConditionFlags): readonly RateStep[] | undefined =>
    rate === undefined ? trace : [{ atMs: 0, bytesPerSecond: rate }];
  const of = <K extends keyof ConditionFlags>(name: K): ConditionFlags[K] =>
    own[name] ?? both[name];
  const conditions: Conditions = {
    rate: rateOf(own) ?? rateOf(both) ?? CLEAR.rate,
    burstBytes: of('burst') ?? CLEAR.burstBytes,
    queue: of('queue') ?? CLEAR.queue,
    delayMs: of('delay') ?? CLEAR.delayMs,
    jitterMs: of('jitter') ?? CLEAR.jitterMs,
    loss: of('loss') ?? CLEAR.loss,
    outages: of('outage') ?? CLEAR.outages,
  };
  return asUsage(`link ${direction}`, () => checkConditions(conditions))('');
}

function ownFlags(flags: Readonly<Record<string, unknown>>, direction: string): ConditionFlags {
  const entries = ROWS.map(([name]) => {
    const camel = `${direction}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return [name, flags[camel]] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** A ConditionsError is a usage error of that flag. */
export function asUsage<T>(name: string, parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ConditionsError)) throw error;
      throw new GodwitError('usage', `${name}: ${error.message}`);
    }
  };
}

function parseConstantRate(text: string): number {
  const rate = parseRate(text);
  if (rate === 0) throw new ConditionsError('at a rate of 0 nothing would get through');
  return rate;
}

function readTrace(file: string): RateStep[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw about(file, error);
  }
  return asUsage(file, parseRateTrace)(text);
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `25ms`, `1.5s`, `2m`, `1h`; as milliseconds. */
export function parseMilliseconds(text: string): number {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text);
  if (match === null) throw new ConditionsError(`${text}: not a time such as 25ms or 1.5s`);
  return Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
}

function parseQueue(text: string): QueueBound {
  return /[smh]$/.test(text) ? { ms: parseMilliseconds(text) } : { bytes: parseBytes(text) };
}

function parsePercent(text: string): number {
  const match = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text);
  if (match === null) throw new ConditionsError(`${text}: not a share such as 0.5%`);
  return Number(match[1]) / 100;
}

function parseOutages(text: string): Outage[] {
  return text.split(',').map((each) => {
    const [from, length, more] = each.split('+');
    if (from === undefined || length === undefined || more !== undefined) {
      throw new ConditionsError(`${each}: not an outage such as 10s+2s`);
    }
    const fromMs = parseMilliseconds(from);
    return { fromMs, untilMs: fromMs + parseMilliseconds(length) };
  });
}

export interface Move {
  readonly atMs: number;
  /** Null: the same host, another port. */
  readonly host: string | null;
}

/** `30s,1m@127.0.0.2`: after 30 s another port, after a minute another host. */
export const parseMoves: (text: string) => Move[] = asUsage('move', (text) =>
  text.split(',').map((each) => {
    const [at = '', host, more] = each.split('@');
    if (more !== undefined) throw new ConditionsError(`${each}: not a move such as 30s@127.0.0.2`);
    return { atMs: parseMilliseconds(at), host: host ?? null };
  }),
);

/**
 * Rates as people write them, and traces of them: a line for each step, `SECONDS,RATE`, such as `12.5,256KiB/s`; each holds until the
 * next, and the last one stays. The first is at 0 and times grow. Lines that are empty or begin with `#` are left out; anything else
 * that is no step is an error, with the number of its line.
 */
import { ConditionsError, MAX_BYTES_PER_SECOND, MAX_STEPS, type RateStep } from './conditions.ts';

const PREFIXES = ['', 'K', 'M', 'G'];
const MAX_SECONDS = 10_000_000;

/** `65536B/s`, `256KB/s` (by the thousand), `256KiB/s` (by 1,024), `2Mbit/s`; as bytes a second. */
export function parseRate(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([kKMG]?)(i?)(B|bit)\/s$/.exec(text);
  const [, count, prefix = '', binary = '', unit] = match ?? [];
  const power = PREFIXES.indexOf(prefix.toUpperCase());
  const scale = (binary === '' ? 1000 : 1024) ** power / (unit === 'bit' ? 8 : 1);
  const rate = Math.round(Number(count) * scale);
  if (match === null || (binary !== '' && power === 0)) {
    throw new ConditionsError(`${text}: not a rate such as 256KiB/s, 1MB/s or 2Mbit/s`);
  }
  if (rate > MAX_BYTES_PER_SECOND) {
    throw new ConditionsError(`${text}: a rate of up to ${MAX_BYTES_PER_SECOND}B/s is possible`);
  }
  return rate;
}

/**
 * Reads a trace of rates. Throws ConditionsError, with the line where there is one, for anything
 * else.
 */
export function parseRateTrace(text: string): RateStep[] {
  const steps: RateStep[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (steps.length === MAX_STEPS) throw new ConditionsError(`more than ${MAX_STEPS} steps`);
    try {
      steps.push(parseStep(line, steps.at(-1)));
    } catch (error) {
      if (!(error instanceof ConditionsError)) throw error;
      throw new ConditionsError(`line ${index + 1}: ${error.message}`);
    }
  }
  if (steps.length === 0) throw new ConditionsError('no step of a rate is in it');
  if (steps.every(({ bytesPerSecond }) => bytesPerSecond === 0)) {
    throw new ConditionsError('the rate is 0 for ever: nothing would get through');
  }
  return steps;
}

function parseStep(line: string, before: RateStep | undefined): RateStep {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)\s*,\s*(\S+)$/.exec(line);
  const seconds = Number(match?.[1]);
  if (match === null || seconds > MAX_SECONDS) {
    throw new ConditionsError('not a step such as 12.5,256KiB/s');
  }
  const atMs = Math.round(seconds * 1e6) / 1e3;
  if (before === undefined && atMs !== 0) throw new ConditionsError('the first step is at 0');
  if (before !== undefined && atMs <= before.atMs) {
    throw new ConditionsError('its time is not after the one before');
  }
  return { atMs, bytesPerSecond: parseRate(match[2] ?? '') };
}

/** What such a line sends at most from one moment to another, in bytes with headers. */
export function bytesBetween(rate: readonly RateStep[], fromMs: number, untilMs: number): number {
  let bytes = 0;
  for (const [index, { atMs, bytesPerSecond }] of rate.entries()) {
    const from = Math.max(fromMs, atMs);
    const until = Math.min(untilMs, rate[index + 1]?.atMs ?? Infinity);
    if (until > from) bytes += ((until - from) * bytesPerSecond) / 1000;
  }
  return bytes;
}

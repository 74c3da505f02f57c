/** What a process uses of memory and processor time, read from /proc on Linux. */
import { readFileSync } from 'node:fs';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/** Linux counts in hundredths of a second for all that programs see of it. */
const TICKS_A_SECOND = 100;
/** Places in /proc/PID/stat, counted from the state, which follows the name. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Of all its threads, since it began. */
export function cpuSeconds(pid: number): number {
  const stat = read(pid, 'stat');
  // "PID (COMMAND) STATE ...", and a command may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_A_SECOND;
}

/**
 * Reads the resident memory of a process in bytes, on Linux. Throws GodwitError `not-running` if
 * the process has ended.
 */
export function residentBytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status'));
  if (found === null) throw new GodwitError('not-running', `process ${pid} has ended`);
  return Number(found[1]) * 1024;
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    throw new GodwitError('not-running', `process ${pid} has ended, or this is not Linux`);
  }
}

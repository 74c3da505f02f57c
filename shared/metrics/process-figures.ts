/** What the process takes of the machine, under the names that Prometheus has for it, and what is left of its disk. Read when asked: no timer runs for it. */
import { readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { freeSpaceOn } from '../system/free-disk.ts';
import { counter, gauge, type Figure } from './figure.ts';

const OPEN_FILES = '/proc/self/fd';
const MICROSECONDS = 1e-6;

/** CPU time, memory and start time of this process, under the names that Prometheus clients use. */
export function processFigures(): Figure[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const cpu = (user + system) * MICROSECONDS;
  return [
    counter('process_cpu_seconds_total', 'CPU time used, of user and system together.', cpu),
    gauge('process_resident_memory_bytes', 'Memory of the process that is in RAM.', rss),
    gauge(
      'process_start_time_seconds',
      'When the process began, in seconds since 1970.',
      performance.timeOrigin / 1000,
    ),
    gauge('process_open_fds', 'File descriptors that are open.', openFiles()),
    gauge('nodejs_heap_size_used_bytes', 'Heap of JavaScript in use.', heapUsed),
    gauge(
      'nodejs_heap_size_total_bytes',
      'Heap of JavaScript, with what is free in it.',
      heapTotal,
    ),
    gauge(
      'nodejs_external_memory_bytes',
      'Memory that JavaScript holds beside its heap.',
      external,
    ),
  ];
}

/** `folder`: where the program keeps its data. */
export function diskFigure(name: string, folder: string): Figure {
  return gauge(name, 'Free on the disk of the data folder.', freeOn(folder));
}

/** Null: the folder is gone, or its disk fails. */
function freeOn(folder: string): number | null {
  try {
    return freeSpaceOn(folder).free;
  } catch {
    return null;
  }
}

/** Null: this system does not tell. The one that is open to look is not counted. */
function openFiles(): number | null {
  try {
    return readdirSync(OPEN_FILES).length - 1;
  } catch {
    return null;
  }
}

/** What is mounted on this machine, as Linux tells it. */
import { readFileSync } from 'node:fs';
import { parseMountInfo, type MountTable } from './mount-table.ts';

/** Reads it anew each time. */
export const systemMounts: MountTable = {
  read() {
    try {
      return parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'));
    } catch {
      return null;
    }
  },
};

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { createFileLog } from '../../shared/logging/winston-log.ts';
import { logSuite, type LogHarness, type WrittenLine } from './log.suite.ts';

function inFile(): LogHarness {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-log-'));
  const file = join(folder, 'daemon.log');
  const log = createFileLog({ file, level: 'debug' });
  return {
    log,
    written: async () => {
      await log.close();
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map(read);
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function read(text: string): WrittenLine {
  const { level, message, ...rest } = JSON.parse(text) as WrittenLine & Record<string, unknown>;
  const fields = Object.entries(rest).filter(([key]) => key !== 'time');
  return { level, message, fields: Object.fromEntries(fields) };
}

function inMemory(): LogHarness {
  const log = new MemoryLog(new World(1), 'laptop');
  return { log, written: () => Promise.resolve(log.lines), end: () => undefined };
}

logSuite('in a file', inFile);
logSuite('of a simulated process', inMemory);

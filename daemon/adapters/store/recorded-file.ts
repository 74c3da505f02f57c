/**
 * The file of what is recorded and not committed yet: it is written and never synced, so it survives the end of the process and not
 * a loss of power. One record is one line: the hash of the rest, and JSON.
 *
 * What was committed is not removed: the next record begins at the start of the file again. So what is behind the last record is of before:
 * its numbers are too low, or it is of another run, or its hash is wrong. After a loss of power a record may be missing before others.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import type { Recorded, RowChange } from '../../../shared/ports/client-store.ts';
import { MOST_RECORDED_BYTES } from '../../limits.ts';
import { codeOf } from './disk-errors.ts';

const PRIVATE_FILE = 0o600;

interface RecordedStep {
  readonly number: number;
  /** Each has another: numbers that were given once may be given again after a start. */
  readonly run: string;
  /** Of the system, where it has such a name. */
  readonly boot: string | null;
  readonly changes: readonly RowChange[];
}

/**
 * Appends steps that must survive the end of the process, without a sync, and reads them back at a
 * start.
 */
export class RecordedFile {
  readonly #path: string;
  readonly #boot: string | null;
  readonly #run = randomBytes(8).toString('hex');
  #fd: number | null = null;
  #end = 0;

  constructor(path: string, boot: string | null) {
    this.#path = path;
    this.#boot = boot;
  }

  /** All after this number, if they follow it without a gap. */
  read(position: number): Recorded[] {
    const found: Recorded[] = [];
    let last: RecordedStep | null = null;
    for (const text of this.#text().split('\n')) {
      const line = lineOf(text);
      if (line === null || (last !== null && !follows(line, last))) break;
      last = line;
      const { number, boot, changes } = line;
      const isDoubtful = boot === null || boot !== this.#boot;
      if (number > position) found.push({ number, changes, isDoubtful });
    }
    return found[0]?.number === position + 1 ? found : [];
  }

  /** False: there is no room for it. What is there of it then, the next one is written over. */
  append(number: number, changes: readonly RowChange[]): boolean {
    const line: RecordedStep = { number, run: this.#run, boot: this.#boot, changes };
    const json = JSON.stringify(line);
    const bytes = Buffer.from(`${hashOf(json)} ${json}\n`);
    if (this.#end + bytes.length > MOST_RECORDED_BYTES) return false;
    try {
      this.#fd ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
      let written = 0;
      while (written < bytes.length) {
        const left = bytes.length - written;
        written += writeSync(this.#fd, bytes, written, left, this.#end + written);
      }
    } catch {
      return false;
    }
    this.#end += bytes.length;
    return true;
  }

  /** Everything that was appended is committed. */
  settled(): void {
    this.#end = 0;
  }

  /** What is there goes, and is read no more. Before anything is appended. */
  moveTo(path: string): void {
    try {
      renameSync(this.#path, path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #text(): string {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    }
  }
}

function follows(line: RecordedStep, last: RecordedStep): boolean {
  return line.run === last.run && line.number === last.number + 1;
}

function hashOf(json: string): string {
  return createHash('sha256').update(json).digest('hex');
}

function lineOf(text: string): RecordedStep | null {
  const hash = text.slice(0, text.indexOf(' '));
  const json = text.slice(hash.length + 1);
  return hash !== '' && hash === hashOf(json) ? (JSON.parse(json) as RecordedStep) : null;
}

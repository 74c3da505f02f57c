/** The addon with the kernel: a test stands in for Node's side. Where nothing can be mounted, one test says so. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUILD_LIMIT_MS, builtMount, noFuse } from '../../../test/support/mount-addon.ts';
import { unmount } from './mount-point.ts';
import type { NativeMount, NativeStatus } from './native-mount.ts';
import type { Question } from './operations.ts';

const PATIENCE_MS = 600_000;
/** A program that hangs is ended then. */
const LIMIT_MS = 60_000;
const CONTENTS = 'contents\n';
const BASE = { mode: 0o755, mtime: '0', version: 1, links: 1, xattrs: [] };
const ROOT: NativeStatus = { ...BASE, key: '1.1.1', kind: 'directory', size: 0 };
const FILE: NativeStatus = { ...BASE, key: '1.8.2', kind: 'file', size: CONTENTS.length };

/** A volume with one file, `file`. */
class Alone {
  readonly native: NativeMount = builtMount();
  readonly folder = mkdtempSync(join(tmpdir(), 'godwit-alone-'));
  readonly path = join(this.folder, 'at');
  readonly file = join(this.path, 'file');
  readonly mount: number;
  readonly #children = new Set<ChildProcess>();
  readonly #questions: Question[] = [];
  #asked = (): void => undefined;

  constructor() {
    const spool = join(this.folder, 'spool');
    for (const made of [this.path, spool]) mkdirSync(made);
    writeFileSync(join(this.folder, 'contents'), CONTENTS);
    const places = { path: this.path, spool, log: join(this.folder, 'log'), root: ROOT };
    const rights = { readOnly: false, allowOther: false, autoUnmount: false };
    const numbers = { seq: 0, firstFile: 1, patienceMs: PATIENCE_MS };
    this.mount = this.native.mountOpen({ ...places, ...rights, ...numbers }, () => this.#take());
  }

  #take(): void {
    const lines = this.native.mountTake(this.mount);
    this.#questions.push(...lines.map((line) => JSON.parse(line) as Question));
    this.#asked();
  }

  /** The next question that the addon has. */
  async question(): Promise<Question> {
    for (;;) {
      const next = this.#questions.shift();
      if (next !== undefined) return next;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#asked = () => resolve(undefined);
      await promise;
    }
  }

  /** Answers the question for the names in the root. */
  async list(): Promise<void> {
    const { ask } = await this.question();
    this.native.mountAnswerList(this.mount, ask, 0, [{ name: 'file', status: FILE }], 0);
  }

  /** Answers a question for contents. */
  found(ask: number, presentMs = 0): void {
    const contents = join(this.folder, 'contents');
    this.native.mountAnswerOpen(this.mount, ask, 0, contents, FILE, 0, presentMs);
  }

  /** Runs a program; its end. */
  run(program: string, ...args: string[]) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#children.add(child);
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
    const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
      code,
      signal,
      said,
    }));
    return { child, ended };
  }

  async close(): Promise<void> {
    await unmount(this.path);
    this.native.mountClose(this.mount);
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }
}

function withKernel(): void {
  let alone: Alone;
  beforeEach(() => {
    alone = new Alone();
  }, BUILD_LIMIT_MS);
  afterEach(() => alone.close());

  it('a program that waits for contents is ended by a signal at once, and the next open gets them', async () => {
    const interrupted = alone.run('cat', alone.file);
    await alone.list();
    const { ask, what } = await alone.question();
    expect(what).toBe('open');
    interrupted.child.kill('SIGINT');
    expect(await interrupted.ended).toEqual({ code: null, signal: 'SIGINT', said: '' });
    alone.found(ask);
    const { ended } = alone.run('cat', alone.file);
    alone.found((await alone.question()).ask);
    expect(await ended).toEqual({ code: 0, signal: null, said: CONTENTS });
  });

  it('a known file is opened while Node stands still, until its promise is broken', async () => {
    const first = alone.run('cat', alone.file);
    await alone.list();
    alone.found((await alone.question()).ask, PATIENCE_MS);
    await first.ended;
    // Nothing of Node runs until the program has ended.
    const said = execFileSync('cat', [alone.file, alone.file], { timeout: LIMIT_MS });
    expect(said.toString()).toBe(CONTENTS + CONTENTS);
    alone.native.mountBroken(alone.mount);
    const { ended } = alone.run('cat', alone.file);
    alone.found((await alone.question()).ask);
    expect(await ended).toEqual({ code: 0, signal: null, said: CONTENTS });
  });

  it.each(['ENETUNREACH', 'EAGAIN'] as const)(
    'an open of contents that are not to be had fails with %s, and gives no empty file',
    async (code) => {
      const script = `try { require('fs').openSync(${JSON.stringify(alone.file)}) } catch (e) { console.log(e.code) }`;
      const { ended } = alone.run(process.execPath, '-e', script);
      await alone.list();
      const { ask } = await alone.question();
      const errno = constants.errno[code];
      alone.native.mountAnswerOpen(alone.mount, ask, errno, null, null, 0, 0);
      expect(await ended).toEqual({ code: 0, signal: null, said: `${code}\n` });
    },
  );
}

const missing = noFuse();
if (missing === null) describe('the addon of the mount', withKernel);
else {
  it('without FUSE nothing is mounted, and the reason is named', () => {
    expect(missing).toContain('/dev/fuse');
  });
}

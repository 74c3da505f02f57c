import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RotatingFile } from './rotating-file.ts';
import { createFileLog } from './winston-log.ts';

/** A device on which each write fails for want of room. */
const FULL_DISK = '/dev/full';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-log-'));
  file = join(folder, 'log', 'daemon.log');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function lines(path = file): Array<Record<string, unknown>> {
  const text = readFileSync(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the file log of a program', () => {
  it('writes a line of JSON for each call, with the fields of `with`', async () => {
    const log = createFileLog({ file, level: 'debug' });
    log.info('started', { port: 4433, name: null });
    log.with({ volume: 1 }).with({ fid: '1.2.3' }).warn('refused', { volume: 2 });
    log.error('ended');
    log.debug('detail', { left: undefined });
    await log.close();
    expect(lines()).toEqual([
      { time: expect.any(String), level: 'info', message: 'started', port: 4433, name: null },
      { time: expect.any(String), level: 'warn', message: 'refused', volume: 2, fid: '1.2.3' },
      { time: expect.any(String), level: 'error', message: 'ended' },
      { time: expect.any(String), level: 'debug', message: 'detail' },
    ]);
  });

  it('omits entries below its level', async () => {
    const log = createFileLog({ file });
    log.debug('detail');
    log.info('news');
    await log.close();
    expect(lines().map(({ message }) => message)).toEqual(['news']);
  });

  it('appends to the private file of the previous run', async () => {
    for (const message of ['first run', 'second run']) {
      const log = createFileLog({ file });
      log.info(message);
      await log.close();
    }
    expect(lines().map(({ message }) => message)).toEqual(['first run', 'second run']);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('has written everything when it is closed, and nothing after that', async () => {
    const log = createFileLog({ file });
    for (let n = 0; n < 2000; n++) log.info('one of many', { n });
    const closed = log.close();
    log.info('too late');
    await Promise.all([closed, log.close()]);
    log.info('much too late');
    expect(lines().map(({ n }) => n)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  });

  it.each([
    ['ticket', 'abc'],
    ['clientSecret', 'abc'],
    ['privateKeyPem', 'abc'],
    ['private_key', 'abc'],
    ['invitation', 'abc'],
    ['adminPassword', 12345],
    ['url', 'godwit://host:4433/abc'],
    ['text', 'it was -----BEGIN PRIVATE KEY-----'],
  ])('never writes a secret: %s', async (key, value) => {
    const log = createFileLog({ file });
    log.with({ [key]: value }).info('paired', { device: 3 });
    await log.close();
    expect(lines()).toEqual([
      expect.objectContaining({ message: 'paired', device: 3, [key]: '[redacted]' }),
    ]);
  });

  it('writes whether there is a secret', async () => {
    const log = createFileLog({ file });
    log.info('connecting', { ticket: true, invitation: null });
    await log.close();
    expect(lines()).toEqual([expect.objectContaining({ ticket: true, invitation: null })]);
  });

  it("keeps the line's own parts when fields have the same names", async () => {
    const log = createFileLog({ file });
    log.info('refused', { level: 'x', message: 'why', time: 1 });
    await log.close();
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'info', message: 'refused', level_: 'x', message_: 'why' }),
    ]);
  });

  it('writes to standard error as well on request', async () => {
    const said: string[] = [];
    const spy = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said.push(String(text));
      return true;
    });
    try {
      const log = createFileLog({ file, console: true });
      log.info('started', { port: 4433, secret: 'abc' });
      await log.close();
    } finally {
      spy.mockRestore();
    }
    expect(said.join('')).toMatch(/^\S+Z info started port=4433 secret="\[redacted\]"\n$/);
  });

  it('throws when the file cannot be opened', () => {
    writeFileSync(join(folder, 'log'), 'in the way');
    expect(() => createFileLog({ file })).toThrow();
  });

  it('continues and ends on a full disk', async () => {
    // Where there is no such device, this is only one more file.
    const log = createFileLog({ file: existsSync(FULL_DISK) ? FULL_DISK : file });
    for (let n = 0; n < 2000; n++) log.info('one of many', { n });
    await log.close();
  });
});

describe('the RotatingFile of a log', () => {
  const small = (): RotatingFile => new RotatingFile({ file, mostBytes: 20, mostFiles: 3 });
  const text = (name: string): string => readFileSync(join(folder, 'log', name), 'utf8');

  it('starts a new file when one is full and keeps a limited number', () => {
    const rotating = small();
    for (let n = 1; n <= 9; n++) expect(rotating.append(`line ${n}.`)).toBe(true);
    rotating.close();
    expect(readdirSync(join(folder, 'log')).sort()).toEqual([
      'daemon.log',
      'daemon1.log',
      'daemon2.log',
    ]);
    expect([text('daemon2.log'), text('daemon1.log'), text('daemon.log')]).toEqual([
      'line 5.\nline 6.\n',
      'line 7.\nline 8.\n',
      'line 9.\n',
    ]);
  });

  it('counts what an earlier run wrote', () => {
    for (const line of ['from before', 'from now']) {
      const rotating = small();
      rotating.append(line);
      rotating.close();
    }
    expect([text('daemon1.log'), text('daemon.log')]).toEqual(['from before\n', 'from now\n']);
  });

  it('accepts a line that is longer than a file', () => {
    const rotating = small();
    for (const line of ['short', 'x'.repeat(50), 'after']) rotating.append(line);
    rotating.close();
    expect(text('daemon1.log')).toBe(`${'x'.repeat(50)}\n`);
    expect(text('daemon.log')).toBe('after\n');
  });

  it('reports a lost line and writes again when it can', () => {
    const rotating = small();
    rotating.append('as long as it gets');
    rmSync(join(folder, 'log'), { recursive: true });
    writeFileSync(join(folder, 'log'), 'in the way');
    expect(rotating.append('lost')).toBe(false);
    rmSync(join(folder, 'log'));
    mkdirSync(join(folder, 'log'));
    expect(rotating.append('back')).toBe(true);
    rotating.close();
    expect(text('daemon.log')).toBe('back\n');
  });
});

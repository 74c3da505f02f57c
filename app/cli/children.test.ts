import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startupError } from './children.ts';

let folder: string;
let log: string;
let state: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-children-'));
  log = join(folder, 'state', 'godwit', 'log', 'cli.log');
  state = process.env['XDG_STATE_HOME'];
  process.env['XDG_STATE_HOME'] = join(folder, 'state');
  mkdirSync(join(folder, 'log'));
});
afterEach(() => {
  if (state === undefined) delete process.env['XDG_STATE_HOME'];
  else process.env['XDG_STATE_HOME'] = state;
  rmSync(folder, { recursive: true });
});

const STACK = `file:///godwit/daemon/main.ts:12
    throw new TypeError('x is undefined');
          ^

TypeError: x is undefined
    at start (file:///godwit/daemon/main.ts:12:11)
    at async main (file:///godwit/daemon/main.ts:3:1) {
  code: 'ODD'
}

Node.js v24.21.0
`;
const HEAP = `<--- Last few GCs --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----
 1: 0xb8f3b6 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
`;
const CODED = '{"error":{"code":"disk-full","message":"no room","remedy":"make some"}}\n';

describe('a daemon that ended at its start', () => {
  it.each([
    ['a stack', STACK, ': x is undefined'],
    ['a fatal error of the runtime', HEAP, ': Reached heap limit Allocation failed - '],
    ['a line of a log', '{"level":"info","message":"the folder was read"}\n', ' (more in'],
    ['a stack that was cut', '    at start (file:///godwit/daemon/main.ts:12:11)\n', ' (more in'],
  ])('is reported in one line when it wrote %s, with the log that has it', (_what, text, why) => {
    writeFileSync(join(folder, 'log', 'startup.log'), text);
    const { code, message } = startupError(folder);
    expect(code).toBe('internal');
    expect(message).toContain(`the daemon ended at its start${why}`);
    expect(message).toContain(`(more in ${log})`);
    expect(message).not.toMatch(/\n| {4}at |Node\.js|level/);
    const kept = JSON.parse(readFileSync(log, 'utf8').trim()) as { output: string };
    expect(kept.output).toBe(text);
  });

  it('is reported by its own error when it wrote one', () => {
    writeFileSync(join(folder, 'log', 'startup.log'), `${STACK}${CODED}`);
    expect(startupError(folder)).toMatchObject({ code: 'disk-full', message: 'no room' });
  });

  it('is reported without a log when it wrote nothing', () => {
    expect(startupError(folder).message).toBe('the daemon ended at its start');
  });
});

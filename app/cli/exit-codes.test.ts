import { describe, expect, it } from '@jest/globals';
import { CommanderError } from 'commander';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { about, codedError, errorLine } from './errors.ts';
import { exitCodeOf } from './exit-codes.ts';
import { printable } from './printable.ts';

describe('the exit codes', () => {
  it.each([
    ['usage', 2],
    ['not-found', 3],
    ['no-such-volume', 3],
    ['no-server', 3],
    ['timed-out', 5],
    ['sync-blocked', 5],
    ['server-unreachable', 5],
    ['newer-database', 7],
    ['damaged-database', 7],
    ['not-running', 5],
    ['invitation-malformed', 2],
    ['bad-name', 2],
    ['invitation-unknown', 3],
    ['not-queued', 3],
    ['version-gone', 3],
    ['no-such-vnode', 3],
    ['invitation-used', 1],
    ['invitation-expired', 1],
    ['internal', 1],
  ] as const)('give %s the code %i', (code, exit) => {
    expect(exitCodeOf(code)).toBe(exit);
  });
});

describe('an error for people', () => {
  it('is one line with a remedy', () => {
    const error = new GodwitError('not-running', '/data: no daemon runs on this data folder');
    expect(errorLine(error)).toBe(
      'godwit: /data: no daemon runs on this data folder; start it with `godwit up` (see `godwit help up`)',
    );
  });

  it('shortens a path that is longer than a screen, and keeps the reason', () => {
    const line = errorLine(new GodwitError('not-found', `/${'long/'.repeat(2000)}: it is gone`));
    expect(line.length).toBeLessThan(1200);
    expect(line).toMatch(/^godwit: \/long\/.*\.\.\..*long\/: it is gone; /);
  });

  it('stays one line whatever a name contains', () => {
    const line = errorLine(new GodwitError('not-found', '/a\nb\u001b[2J\u202e: gone'));
    expect(line).toContain('/a\\nb\\x1b[2J\\u202e: gone');
    expect(printable('größe 🐦\tx')).toBe('größe 🐦\\tx');
  });

  it('is derived from an error of the operating system', () => {
    const error = Object.assign(new Error('ENOSPC: ...'), { code: 'ENOSPC', path: '/x' });
    expect(codedError(error)).toMatchObject({ code: 'disk-full', message: '/x: the disk is full' });
  });

  it('is derived from an error of commander', () => {
    const error = new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'");
    expect(codedError(error)).toMatchObject({ code: 'usage', message: "unknown option '--x'" });
  });

  it('does not exist for a bug of ours', () => {
    expect(codedError(new TypeError('x is undefined'))).toBeNull();
  });

  it('names its subject once', () => {
    const once = about('/a', new GodwitError('no-contents'));
    expect((about('/a', once) as Error).message).toBe((once as Error).message);
    expect((once as Error).message).toMatch(/^\/a: the contents/);
  });
});

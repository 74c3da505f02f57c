/** `godwit lock`, `unlock` and `locks`, on a daemon that keeps what it is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockRow, LostLockRow } from '../../shared/control/locks.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  await godwit(['put', '-', '/doc', '--data', control.data], 'text');
  control.daemon.calls.length = 0;
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

/** A lock of another laptop. */
async function other(change: Partial<LockRow> = {}): Promise<LockRow> {
  const { fileSystem } = control.daemon;
  const [volume] = await fileSystem.volumes();
  const { fid } = await fileSystem.lookup(volume?.root as never, 'doc');
  return {
    ...{ volume: 'home', path: 'doc', fid, mode: 'exclusive', state: 'held', isOwn: false },
    ...{ device: 'study', user: 'bob', since: '2026-11-27T10:00:00.000Z', ...change },
  };
}

describe('godwit lock', () => {
  it('locks a file, which is listed until it is unlocked', async () => {
    expect((await run('locks')).stdout).toBe('nothing is locked\n');
    expect((await run('lock', 'doc')).stdout).toBe('/doc: locked\n');
    expect((await run('locks')).stdout).toMatch(/^file +locked by +since\n\/doc +this laptop +\S/);
    expect((await run('status', '/doc')).stdout).toMatch(/^locked by this laptop since \S/m);
    expect((await run('unlock', '/doc')).stdout).toBe('/doc: unlocked\n');
    expect((await run('locks')).stdout).toBe('nothing is locked\n');
    expect((await run('status', '/doc')).stdout).not.toContain('locked');
  });

  it('shares a lock with --shared', async () => {
    expect((await run('lock', '/doc', '--shared')).stdout).toBe('/doc: locked, shared\n');
    expect((await run('locks')).stdout).toMatch(/this laptop, shared/);
  });

  it('prints that another laptop has not sent its newer version', async () => {
    control.daemon.locks.behind = true;
    expect(await run('lock', '/doc')).toMatchObject({
      code: 0,
      stdout: '/doc: locked\nanother laptop has a newer version that it has not sent yet\n',
    });
  });

  it.each(['lock', 'unlock'])(
    'a file that is left out is named with its rule by %s',
    async (command) => {
      control.daemon.left['i.tmpx'] = 'ignored by /.godwitignore line 1: *.tmpx';
      const { code, stderr } = await run(command, '/i.tmpx');
      expect(code).toBe(3);
      expect(stderr).toContain('/i.tmpx is not synced: ignored by /.godwitignore line 1: *.tmpx');
      expect((await run(command, '/j.tmpx')).stderr).toContain('no j.tmpx; check the name');
    },
  );

  it('prints what came of it as JSON', async () => {
    const { stdout } = await run('lock', '/doc', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ volume: 'home', path: '/doc', isCurrent: true },
      lock: { mode: 'exclusive', state: 'held', isOwn: true },
    });
    expect(JSON.parse((await run('locks', '--json')).stdout)).toMatchObject({
      isCurrent: true,
      locks: [{ path: 'doc' }],
      lost: [],
    });
  });

  it.each([
    [['lock', '/gone'], 3],
    [['lock', '/'], 1],
    [['lock', '../doc'], 2],
    [['lock'], 2],
    [['unlock', '/doc'], 3],
    [['lock', '/doc', '--volume', 'none'], 3],
  ])('refuses %j in one line', async (args, code) => {
    const result = await run(...args);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr.trimEnd()).toMatch(/^[^\n]+$/);
  });
});

describe('a lock of another laptop', () => {
  it('is listed with its holder, is in the way, and can be broken', async () => {
    control.daemon.locks.rows = [await other()];
    expect((await run('locks')).stdout).toMatch(/\/doc +study \(bob\) +\S/);
    const refused = await run('lock', '/doc');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('locked by study (bob)');
    expect(refused.stderr).toContain('/doc: locked by');
    expect(refused.stderr).toContain('godwit unlock /doc --break');
    const broken = await run('unlock', '/doc', '--break');
    expect(broken.stdout).toMatch(/^\/doc: ends as soon as 1 laptop has heard of it/);
    expect(control.daemon.locks.rows).toEqual([]);
    control.daemon.locks.rows = [await other({ mode: 'shared' }), await other({ mode: 'shared' })];
    expect((await run('unlock', '/doc', '--break')).stdout).toBe(
      '/doc: ends as soon as 2 laptops have heard of it, or have been away for a while\n',
    );
    expect((await run('unlock', '/doc', '--break')).stdout).toBe('/doc: no laptop has it locked\n');
  });

  it('has its state in the list, and no control characters', async () => {
    control.daemon.locks.rows = [
      await other({ state: 'broken', device: 'stu\u001b[2Jdy' }),
      await other({ path: null, mode: 'shared' }),
      await other({ isOwn: true, state: 'asked', since: null }),
    ];
    const { stdout } = await run('locks');
    expect(stdout).toContain('(bob), broken');
    expect(stdout).toContain('(not looked at here: ');
    expect(stdout).toContain('this laptop, asked for again');
    expect(stdout).not.toContain('\u001b');
  });
});

it('locks that were lost are listed with the reason', async () => {
  const row = await other();
  const lost = (why: LostLockRow['why'], by: string | null): LostLockRow => {
    const { volume, path, fid } = row;
    return { volume, path, fid, why, by, when: '2026-11-27T10:00:00.000Z' };
  };
  control.daemon.locks.lost = [lost('taken', 'study'), lost('broken', null)];
  const { stdout } = await run('locks');
  expect(stdout).toMatch(/^lost \/doc: .*another has locked it \(study\), /m);
  expect(stdout).toMatch(/^lost \/doc: another laptop broke it, /m);
});

describe('locks of a laptop without a connection', () => {
  const revoked = {
    ...{ code: 'device-revoked', message: 'the server no longer admits this device' },
    ...{ remedy: 'ask for a new invitation', path: null },
  };

  it.each([
    [{ connected: true, errors: [] }, 'the server knows no locks'],
    [{ connected: false, errors: [] }, 'the server is away'],
    [{ connected: false, errors: [revoked] }, `${revoked.message} (${revoked.remedy})`],
  ])('are listed with why they may be out of date: %j', async (status, why) => {
    control.daemon.locks.isCurrent = false;
    control.daemon.become(status);
    expect((await run('locks')).stderr).toContain(`${why}: this may be out of date`);
  });

  it('have the time at which the person locked, if it is known', async () => {
    const about = { isOwn: true, state: 'asked' } as const;
    control.daemon.locks.rows = [await other({ ...about, since: null })];
    expect((await run('status', '/doc')).stdout).toMatch(
      /^locked by this laptop, asked for again$/m,
    );
    control.daemon.locks.rows = [await other(about)];
    expect((await run('status', '/doc')).stdout).toMatch(
      /^locked by this laptop since \S.*, asked for again$/m,
    );
  });
});

it('unlock prints that the end of a lock waits for a save', async () => {
  await run('lock', '/doc');
  control.daemon.locks.waits = true;
  expect((await run('unlock', '/doc')).stdout).toBe(
    '/doc: the lock ends when your last save is on the server\n',
  );
});

it('the status has the number of locks', async () => {
  control.daemon.become({ locks: { own: 1, others: 2, lost: 1 } });
  const { stdout } = await run('status');
  expect(stdout).toContain('1 by this laptop, 2 by others, 1 lost: see `godwit locks`');
});

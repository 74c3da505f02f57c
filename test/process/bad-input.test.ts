/**
 * What people get wrong, and what is wrong with the world: one clear line, an exit code, nothing lost, no stack
 * trace (the bench looks for one in every run).
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import {
  formatInvitation,
  parseInvitation,
  type Invitation,
} from '../../shared/model/invitation.ts';
import { pair as pairInWindow } from '../../app/first-run/set-up.ts';
import { Bench, endProcess, type Run, type RunningServer } from '../support/bench.ts';

const CLI = join(import.meta.dirname, '..', '..', 'app', 'cli', 'main.ts');

let bench: Bench;
let server: RunningServer;
let count = 0;

beforeAll(async () => {
  bench = new Bench();
  server = await bench.server();
});
afterAll(() => bench.close());

interface Attempt extends Run {
  readonly data: string;
  readonly folder: string;
}

/** Runs a first `up` on fresh folders. */
async function pair(invitation: string, folder?: string): Promise<Attempt> {
  const name = `attempt ${(count += 1)}`;
  const data = bench.path(name, 'data');
  const place = folder ?? bench.path(name, 'Godwit');
  const run = await bench.godwit(['up', '--data', data, '--folder', place, '--invite', invitation]);
  return { ...run, data, folder: place };
}

function expectOneLine({ code, stdout, stderr }: Run, wanted: number, words: RegExp): void {
  expect(stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
  expect(stderr).toMatch(words);
  expect(code).toBe(wanted);
  expect(stdout).toBe('');
}

const altered = (text: string, change: Partial<Invitation>): string =>
  formatInvitation({ ...(parseInvitation(text) as Invitation), ...change });

describe('an invitation', () => {
  it('is refused in one line when another device has used it', async () => {
    const invitation = await bench.invite(server);
    await bench.laptop('first', invitation);
    const second = await pair(invitation);
    expectOneLine(second, 1, /used/);
    expect(existsSync(second.data)).toBe(false);
    expect(existsSync(second.folder)).toBe(false);
    await bench.json(['down', '--data', bench.path('first', 'data')]);
  });

  it('is refused in one line when it has expired', async () => {
    const invitation = await bench.invite(server, '--hours', '1');
    const database = new Database(join(server.data, 'server.db'));
    database.exec('UPDATE invitation SET expires_ms = 1');
    database.close();
    const attempt = await pair(invitation);
    expectOneLine(attempt, 1, /has expired; ask for a new one: `godwit server invite`/);
    expect(existsSync(attempt.data)).toBe(false);
    // The window's first run hands it to the same command.
    const program = { data: attempt.data, node: process.execPath, cli: CLI };
    await expect(pairInWindow(program, invitation, attempt.folder, '')).rejects.toMatchObject({
      code: 'invitation-expired',
      remedy: expect.stringContaining('ask for a new one'),
    });
    const list = ['server', 'invitations', '--data', server.data];
    expect((await bench.godwit(list)).stdout).toMatch(
      /^no invitation can be used: [^\n]*\n.*1 expired: --all\n$/,
    );
    const { stdout: all } = await bench.godwit([...list, '--all']);
    expect(all).toMatch(/ expired +1970-01-01/);
  });

  it('is refused in one line when a copy of it was altered', async () => {
    const invitation = await bench.invite(server);
    const place = invitation.length - 12;
    const digit = invitation[place] === '0' ? '1' : '0';
    const attempt = await pair(invitation.slice(0, place) + digit + invitation.slice(place + 1));
    expectOneLine(attempt, 2, /not an invitation/);
    expect(existsSync(attempt.data)).toBe(false);
  });

  it('is refused in one line when its secret is wrong', async () => {
    const invitation = await bench.invite(server);
    const attempt = await pair(altered(invitation, { secret: '0'.repeat(32) }));
    expectOneLine(attempt, 3, /does not know this invitation/);
    expect(existsSync(attempt.data)).toBe(false);
    // The real invitation still works.
    const after = await pair(invitation);
    expect(after.code).toBe(0);
    await bench.json(['down', '--data', after.data]);
  });

  it('is refused in one line when it has the fingerprint of another server', async () => {
    const invitation = await bench.invite(server);
    const attempt = await pair(altered(invitation, { fingerprint: 'ab'.repeat(32) }));
    expectOneLine(attempt, 1, /not the one/);
    expect(existsSync(attempt.folder)).toBe(false);
  });
});

describe('the network', () => {
  it('is reported as silent when it lets no UDP through, and a second try may succeed', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const invitation = await bench.invite(server);
    const attempt = await pair(altered(invitation, { port: silent.address().port }));
    silent.close();
    expectOneLine(attempt, 5, /does not answer|no answer/);
    expect(existsSync(join(attempt.data, 'config.json'))).toBe(false);
    expect(existsSync(join(attempt.data, 'invitation.json'))).toBe(false);
    const place = ['--data', attempt.data, '--folder', attempt.folder];
    const again = await bench.godwit(['up', ...place, '--invite', '-'], { stdin: invitation });
    expect(again.code).toBe(0);
    await bench.json(['down', '--data', attempt.data]);
  });

  it('is reported in one line when the port is in use', async () => {
    const listen = ['--listen', server.address];
    const run = await bench.godwit(['server', '--data', bench.path('other server'), ...listen]);
    expectOneLine(run, 1, /in use/);
  });

  it('is reported in one line when the address belongs to another machine', async () => {
    const listen = ['--listen', '192.0.2.1:0'];
    const run = await bench.godwit(['server', '--data', bench.path('other server'), ...listen]);
    expectOneLine(run, 1, /address/);
  });
});

describe('a folder', () => {
  let paired: { data: string; folder: string };
  beforeAll(async () => {
    paired = await bench.laptop('paired', await bench.invite(server));
    writeFileSync(join(paired.folder, 'kept'), 'kept');
    await bench.flush(paired);
  });

  it.each(['ls', 'cat', 'pin', 'status', 'sharing'])(
    'is named in one line when a path leads below a file, for %s',
    async (what) => {
      const run = await bench.godwit([what, 'kept/below', '--data', paired.data]);
      expectOneLine(run, 3, /^godwit: \/kept\/below: \/kept is no folder; /);
    },
  );

  it.each(['/proc/godwit', '/dev/null/godwit'])(
    'is refused in one line when nobody can write to it: %s',
    async (folder) => {
      const attempt = await pair(await bench.invite(server), folder);
      expectOneLine(attempt, 1, /\/(proc|dev\/null)\/godwit/);
      expect(existsSync(attempt.data)).toBe(false);
    },
  );

  it('is refused in one line when it is a file', async () => {
    const file = bench.path('a file');
    writeFileSync(file, 'mine');
    expectOneLine(await pair(await bench.invite(server), file), 1, /a file/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('is refused in one line inside another synced folder', async () => {
    const attempt = await pair(await bench.invite(server), join(paired.folder, 'below'));
    expectOneLine(attempt, 1, /inside|synced folder/);
    expect(existsSync(join(paired.folder, 'below'))).toBe(false);
    expect(readFileSync(join(paired.folder, 'kept'), 'utf8')).toBe('kept');
  });

  it('is refused in one line around another synced folder', async () => {
    const attempt = await pair(await bench.invite(server), bench.path('paired'));
    expectOneLine(attempt, 1, /synced folder|lie in each other/);
    expect(readFileSync(join(paired.folder, 'kept'), 'utf8')).toBe('kept');
  });

  it('is refused in one line when it holds its own data folder', async () => {
    const folder = bench.path('around');
    const place = ['--data', join(folder, 'data'), '--folder', folder];
    const run = await bench.godwit(['up', ...place, '--invite', await bench.invite(server)]);
    expectOneLine(run, 1, /lie in each other/);
  });
});

describe('a folder of another kind', () => {
  it('cannot be used by a daemon or synced when it is the data folder of a server', async () => {
    const key = readFileSync(join(server.data, 'identity.json'));
    const invite = ['--invite', await bench.invite(server)];
    const [data, folder] = [bench.path('mixed', 'data'), bench.path('mixed', 'Godwit')];
    const asData = ['up', '--data', server.data, '--folder', folder, ...invite];
    expectOneLine(await bench.godwit(asData), 1, /it is the data folder of a server/);
    const asFolder = ['up', '--data', data, '--folder', server.data, ...invite];
    expectOneLine(await bench.godwit(asFolder), 1, /it is the data folder of a server/);
    expect(readFileSync(join(server.data, 'identity.json')).equals(key)).toBe(true);
    expect(existsSync(join(server.data, '.godwit'))).toBe(false);
    expect(existsSync(bench.path('mixed'))).toBe(false);
  });

  it('cannot be used by a server when it belongs to a daemon or is synced', async () => {
    const { data, folder } = await bench.laptop('not a server', await bench.invite(server));
    for (const path of [data, folder, join(folder, 'below')]) {
      const run = await bench.godwit(['server', '--data', path, '--listen', '127.0.0.1:0']);
      expectOneLine(run, 1, /the data folder of a daemon|a synced folder/);
      expect(existsSync(join(path, 'server.db'))).toBe(false);
    }
    const backup = ['server', 'backup', join(folder, 'backup'), '--data', server.data];
    expectOneLine(await bench.godwit(backup), 1, /lies in a synced folder/);
    await bench.json(['down', '--data', data]);
  });
});

describe('a database of a newer version', () => {
  it('is left unchanged by the daemon', async () => {
    const { data, folder } = await bench.laptop('newer', await bench.invite(server));
    await bench.json(['down', '--data', data]);
    const file = join(data, 'daemon.db');
    makeNewer(file);
    const before = readFileSync(file);
    const run = await bench.godwit(['up', '--data', data, '--folder', folder]);
    expectOneLine(run, 7, /newer version/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(join(data, 'config.json'))).toBe(true);
  });

  it('is left unchanged by the server', async () => {
    const other = await bench.server('newer server');
    await endProcess(other.child.pid as number);
    makeNewer(join(other.data, 'server.db'));
    const run = await bench.godwit(['server', '--data', other.data, '--listen', '127.0.0.1:0']);
    expectOneLine(run, 7, /newer version/);
  });

  function makeNewer(file: string): void {
    const database = new Database(file);
    database.pragma('user_version = 999');
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
  }
});

describe('a database with damaged rows', () => {
  it('is reported by the daemon', async () => {
    const { data } = await bench.laptop('damaged', await bench.invite(server));
    await bench.json(['down', '--data', data]);
    spoilRows(join(data, 'daemon.db'));
    const run = await bench.godwit(['up', '--data', data]);
    expectOneLine(run, 7, /daemon\.db is not a readable database/);
  });

  it('is put aside with a report when it holds the records of the folder', async () => {
    const { data } = await bench.laptop('spoilt', await bench.invite(server));
    await bench.json(['down', '--data', data]);
    spoilRows(join(data, 'folder.db'));
    expect((await bench.godwit(['up', '--data', data])).code).toBe(0);
    const { errors } = await bench.status(data);
    expect(errors).toMatchObject([{ code: 'damaged-rows' }]);
    expect(readdirSync(join(data, 'set-aside'))).toContain('1-folder.db');
  });

  it('is reported by a command beside the server', async () => {
    const other = await bench.server('damaged server');
    await endProcess(other.child.pid as number);
    spoilRows(join(other.data, 'server.db'));
    const run = await bench.godwit(['server', 'invite', '--data', other.data]);
    expectOneLine(run, 7, /server\.db is not a readable database/);
  });

  /** Damages the first page of every table; the schema stays readable. */
  function spoilRows(file: string): void {
    const database = new Database(file);
    database.pragma('wal_checkpoint(TRUNCATE)');
    const size = database.pragma('page_size', { simple: true }) as number;
    const roots = database
      .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE type IN ('table', 'index')")
      .pluck()
      .all();
    database.close();
    const bytes = readFileSync(file);
    for (const root of roots) bytes.fill(0xff, (root - 1) * size, root * size);
    writeFileSync(file, bytes);
  }
});

describe('a missing database', () => {
  it('is reported by the daemon, which looks for no copy of it', async () => {
    const { data } = await bench.laptop('gone', await bench.invite(server));
    await bench.json(['down', '--data', data]);
    const key = readFileSync(join(data, 'identity.json'), 'utf8');
    rmSync(join(data, 'daemon.db'));
    for (const more of [[], ['--invite', await bench.invite(server)]]) {
      const run = await bench.godwit(['up', '--data', data, ...more]);
      expectOneLine(run, 7, /gone\/data\/daemon\.db is missing: .*; restore the data folder/);
      expect(existsSync(join(data, 'daemon.db'))).toBe(false);
      expect(readFileSync(join(data, 'identity.json'), 'utf8')).toBe(key);
    }
  });
});

describe('a program that runs already', () => {
  it('is accepted for the same folder and reported for another one', async () => {
    const { data, folder } = await bench.laptop('twice', await bench.invite(server));
    const again = await bench.json(['up', '--data', data, '--folder', folder]);
    expect(again).toMatchObject({ already: true });
    const other = await bench.godwit(['up', '--data', data, '--folder', bench.path('elsewhere')]);
    expectOneLine(other, 1, /a daemon \(process \d+\) runs on this data folder, with folder/);
    await bench.json(['down', '--data', data]);
    const nothing = await bench.godwit(['down', '--data', data]);
    expect(nothing).toMatchObject({ code: 0, stderr: '' });
    expect(nothing.stdout).toMatch(/^no daemon runs on .*: there is nothing to end\n$/);
    const typo = await bench.godwit(['down', '--data', `${data}x`]);
    expectOneLine(typo, 3, /datax: no daemon was started on it/);
  });

  it('is reported by a second server', async () => {
    const run = await bench.godwit(['server', '--data', server.data, '--listen', '127.0.0.1:0']);
    expectOneLine(run, 1, /already/);
  });
});

describe('a command whose output cannot be written', () => {
  it.each([[['--help']], [['--version']], [['completion', 'bash']]])(
    'fails with a non-zero exit code: %j',
    async (args) => {
      const out = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [CLI, ...args], {
        stdio: ['ignore', out, 'pipe'],
        env: bench.env,
      });
      closeSync(out);
      const stderr = await readText(child.stderr as Readable);
      expect(stderr).toMatch(/^godwit: standard output: the disk is full; [^\n]+\n$/);
      expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(5);
    },
  );
});

describe('the simulator with an output that cannot be written', () => {
  it('fails with a non-zero exit code', async () => {
    const out = openSync('/dev/full', 'w');
    const args = [CLI, 'sim', '--seed', '1', '--steps', '1', '--faults', 'none', '--json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', out, 'pipe'], env: bench.env });
    closeSync(out);
    const stderr = await readText(child.stderr as Readable);
    expect(stderr).toMatch(/^godwit: standard output: the disk is full; [^\n]+\n$/);
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(5);
  });
});

describe('an impossible data folder', () => {
  it('is reported in one line', async () => {
    const place = ['--data', '/proc/godwit', '--folder', bench.path('unused')];
    const run = await bench.godwit(['up', ...place, '--invite', await bench.invite(server)]);
    expectOneLine(run, 1, /\/proc\/godwit/);
    expect(existsSync(bench.path('unused'))).toBe(false);
  });

  it('is reported in one line when only the daemon finds out', async () => {
    const data = bench.path('half usable');
    mkdirSync(join(data, 'identity.json.new'), { recursive: true });
    const place = ['--data', data, '--folder', bench.path('unused')];
    const run = await bench.godwit(['up', ...place, '--invite', await bench.invite(server)]);
    expectOneLine(run, 1, /identity\.json\.new: a folder is there/);
    expect(existsSync(bench.path('unused'))).toBe(false);
  });

  it('is reported in one line by a command that lists devices', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'godwit-empty-'));
    mkdirSync(join(empty, 'sub'));
    const run = await bench.godwit(['server', 'devices', '--data', join(empty, 'none')]);
    expectOneLine(run, 3, /no server was started there yet; name the data folder of one/);
    expect(readdirSync(empty)).toEqual(['sub']);
    rmSync(empty, { recursive: true });
  });
});

/** A volume that is mounted (FUSE), beside a folder of another laptop. Where nothing can be mounted, one test says so. */
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unmount } from '../../daemon/adapters/mount/mount-point.ts';
import { Bench, endProcess, type RunningServer } from '../support/bench.ts';
import { BUILD_LIMIT_MS, builtMount, noFuse } from '../support/mount-addon.ts';

const missing = noFuse();
const run = promisify(execFile);

/** Each path with its mode, and its contents or target; without what a folder keeps for itself. */
function treeOf(root: string, path = ''): string[] {
  return readdirSync(join(root, path)).flatMap((name) => {
    if (path === '' && name === '.godwit') return [];
    const at = join(path, name);
    const found = lstatSync(join(root, at));
    const mode = (found.mode & 0o7777).toString(8);
    if (found.isSymbolicLink()) return [`${at} -> ${readlinkSync(join(root, at))}`];
    if (found.isDirectory()) return [`${at}/ ${mode}`, ...treeOf(root, at)];
    return [`${at} ${mode} ${found.nlink} ${readFileSync(join(root, at), 'base64')}`];
  });
}

/** The processes that are to unmount it when its daemon ends. */
function helpersOf(path: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return args[0]?.endsWith('fusermount3') === true && args.includes(path);
    } catch {
      return false;
    }
  });
}

function mounted(): void {
  let bench: Bench;
  let server: RunningServer;
  let a: { data: string; folder: string };
  let m: { data: string; folder: string };

  beforeAll(async () => {
    builtMount();
    bench = new Bench();
    server = await bench.server();
    a = await bench.laptop('ann', await bench.invite(server));
    m = { data: bench.path('mounted'), folder: bench.path('mount-point') };
    const invitation = await bench.invite(server);
    const place = ['--data', m.data, '--folder', m.folder];
    await bench.json(['up', ...place, '--front-end', 'mount', '--invite', invitation]);
  }, BUILD_LIMIT_MS);
  afterAll(async () => {
    await unmount(m.folder);
    await bench.close();
  });

  const at = (...names: string[]): string => join(m.folder, ...names);
  const flushed = (): Promise<void> => bench.flush(m, a);

  it('a mounted volume shows what programs do there, and another laptop gets the same bytes', async () => {
    mkdirSync(at('dir/inner'), { recursive: true });
    writeFileSync(at('dir/file'), 'one\n', { mode: 0o640 });
    writeFileSync(at('dir/file'), 'two\n', { flag: 'a' });
    expect(readFileSync(at('dir/file'), 'utf8')).toBe('one\ntwo\n');
    linkSync(at('dir/file'), at('hard'));
    symlinkSync('dir/file', at('soft'));
    expect(readFileSync(at('soft'), 'utf8')).toBe('one\ntwo\n');
    expect(() => rmSync(at('dir'))).toThrow();
    writeFileSync(at('saved.tmp'), Buffer.alloc(300_000, 7));
    writeFileSync(at('saved'), 'old');
    renameSync(at('saved.tmp'), at('saved'));
    renameSync(at('dir/inner'), at('moved'));
    writeFileSync(at('gone'), 'gone');
    rmSync(at('gone'));
    for (const name of ['over', 'emptied']) mkdirSync(at(name));
    writeFileSync(at('emptied/file'), 'file');
    await bench.flush(m);
    for (const target of ['file', 'dir']) {
      symlinkSync(target, at('emptied/link'));
      rmSync(at('emptied/link'));
    }
    rmSync(at('emptied/file'));
    renameSync(at('over'), at('emptied'));
    expect(existsSync(at('gone'))).toBe(false);
    expect(statSync(at('hard')).nlink).toBe(2);
    await flushed();
    expect(treeOf(a.folder)).toEqual(treeOf(m.folder));
    expect(readdirSync(a.folder).sort()).toEqual(
      ['.godwit', 'dir', 'emptied', 'hard', 'moved', 'saved', 'soft'].sort(),
    );
    expect(await bench.json(['conflicts', '--data', m.data])).toMatchObject({ conflicts: [] });
  });

  it('a mounted volume shows what others do, and who has a file open goes on with what they opened', async () => {
    const open = openSync(at('saved'), 'r');
    writeFileSync(join(a.folder, 'saved'), 'new');
    renameSync(join(a.folder, 'moved'), join(a.folder, 'elsewhere'));
    rmSync(join(a.folder, 'hard'));
    writeFileSync(join(a.folder, 'elsewhere/late'), 'late');
    await bench.flush(a, m);
    expect(readFileSync(at('saved'), 'utf8')).toBe('new');
    const byte = Buffer.alloc(1);
    readSync(open, byte, 0, 1, 0);
    closeSync(open);
    expect(byte[0]).toBe(7);
    expect(existsSync(at('moved'))).toBe(false);
    expect(existsSync(at('hard'))).toBe(false);
    expect(readFileSync(at('elsewhere/late'), 'utf8')).toBe('late');
  });

  it('a volume that is mounted in it is shown at its mount point, both ways, with its snapshots', async () => {
    const { data } = server;
    await bench.json(['server', 'volume', 'create', 'team', '--owner', 'owner', '--data', data]);
    for (const each of [a, m]) await bench.until(each.data, ({ volumes }) => volumes.length === 2);
    await bench.json(['volume', 'mount', 'team', '/team', '--data', a.data]);
    await bench.flush(a, m);
    mkdirSync(at('team/dir'));
    writeFileSync(at('team/dir/plan'), 'the plan');
    await bench.flush(m, a);
    writeFileSync(join(a.folder, 'team/dir/late'), 'late');
    await bench.flush(a, m);
    expect(readFileSync(at('team/dir/late'), 'utf8')).toBe('late');
    expect(readFileSync(join(a.folder, 'team/dir/plan'), 'utf8')).toBe('the plan');
    expect(() => renameSync(at('team/dir/plan'), at('plan'))).toThrow('EXDEV');
    expect(() => linkSync(at('saved'), at('team/saved'))).toThrow('EXDEV');
    expect(() => rmdirSync(at('team'))).toThrow('EBUSY');
    await bench.json(['server', 'snapshot', 'create', 'team', 'one', '--data', data]);
    writeFileSync(at('team/dir/plan'), 'another plan');
    const then = run('cat', [at('team/.snapshots/one/dir/plan')]);
    expect(await then).toMatchObject({ stdout: 'the plan' });
    renameSync(at('team'), at('moved-team'));
    await bench.flush(m, a);
    expect(readFileSync(join(a.folder, 'moved-team/dir/plan'), 'utf8')).toBe('another plan');
    await bench.json(['volume', 'unmount', '/moved-team', '--data', a.data]);
    await bench.flush(a, m);
    expect(existsSync(at('moved-team'))).toBe(false);
    expect(await bench.json(['queue', '--data', m.data])).toMatchObject({ entries: [] });
  });

  it('nothing of what was done is lost when the daemon is killed, and the next one mounts again', async () => {
    const { pid } = await bench.status(m.data);
    mkdirSync(at('killed'));
    const open = openSync(at('killed/half'), 'w');
    writeSync(open, 'half');
    for (let index = 0; index < 30; index++) writeFileSync(at('killed', `${index}`), `${index}`);
    rmSync(at('killed/0'));
    const nameless = openSync(at('killed/nameless'), 'w');
    writeSync(nameless, 'nameless');
    rmSync(at('killed/nameless'));
    // Without it the mount stays when its daemon is gone, and answers nothing.
    for (const helper of helpersOf(m.folder)) process.kill(helper, 'SIGKILL');
    await endProcess(pid, 'SIGKILL');
    for (const each of [open, nameless]) expect(() => closeSync(each)).toThrow();
    await bench.json(['up', '--data', m.data]);
    expect(readdirSync(at('killed'))).toHaveLength(30);
    expect(readFileSync(at('killed/half'), 'utf8')).toBe('half');
    expect(readFileSync(at('killed/29'), 'utf8')).toBe('29');
    await flushed();
    expect(treeOf(a.folder)).toEqual(treeOf(m.folder));
  });

  it('a laptop that changes to a folder and back sends all that waited in either of them', async () => {
    const folder = bench.path('folder-instead');
    const inFolder = { data: m.data, folder };
    const change = async (...to: string[]): Promise<void> => {
      await bench.json(['down', '--data', m.data]);
      await bench.json(['up', '--data', m.data, '--front-end', ...to]);
    };
    const queued = (count: number): Promise<unknown> =>
      bench.until(m.data, ({ queues }) => queues.data.updates === count);
    await bench.json(['pause', '--data', m.data]);
    writeFileSync(at('in-mount'), 'in the mount');
    await change('folder', '--folder', folder);
    writeFileSync(join(folder, 'in-folder'), 'in the folder');
    await queued(2);
    await change('mount');
    expect(readFileSync(at('in-mount'), 'utf8')).toBe('in the mount');
    expect(readFileSync(at('in-folder'), 'utf8')).toBe('in the folder');
    writeFileSync(at('in-folder'), 'written in the mount');
    await queued(2);
    await bench.json(['resume', '--data', m.data]);
    await flushed();
    expect(treeOf(a.folder)).toEqual(treeOf(m.folder));
    await change('folder');
    await bench.flush(inFolder);
    expect(treeOf(folder)).toEqual(treeOf(a.folder));
    expect(await bench.json(['conflicts', '--data', m.data])).toMatchObject({ conflicts: [] });
    await change('mount');
    expect(readFileSync(at('in-folder'), 'utf8')).toBe('written in the mount');
  });

  it('no file is opened offline whose contents are not here, and never as an empty one', async () => {
    writeFileSync(join(a.folder, 'far'), 'far away');
    await bench.flush(a, m);
    await endProcess(server.child.pid ?? 0);
    await bench.until(m.data, ({ connected }) => !connected);
    // In another process: this one would stand still while it waits.
    const read = run('cat', [at('far')]);
    await expect(read).rejects.toMatchObject({ stdout: '', code: 1 });
    expect(readFileSync(at('killed/29'), 'utf8')).toBe('29');
    writeFileSync(at('offline'), 'offline');
    expect(readFileSync(at('offline'), 'utf8')).toBe('offline');
  });

  it('the volume is unmounted by the end of its daemon', async () => {
    await bench.json(['down', '--data', m.data]);
    expect(readdirSync(m.folder)).toEqual([]);
  });
}

if (missing === null) describe('a mounted volume', mounted);
else {
  it('without FUSE nothing is mounted, and the reason is named', () => {
    expect(missing).toContain('/dev/fuse');
  });
}

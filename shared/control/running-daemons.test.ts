import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { announceDaemon, runningDaemons } from './running-daemons.ts';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'godwit-running-'));
});
afterEach(() => rmSync(state, { recursive: true }));

const folder = (): string => join(state, 'running');
const fileOf = (): string => join(folder(), readdirSync(folder())[0] ?? '');
const change = (fields: object): void => {
  const entry = JSON.parse(readFileSync(fileOf(), 'utf8')) as object;
  writeFileSync(fileOf(), JSON.stringify({ ...entry, ...fields }));
};

describe('a daemon that runs', () => {
  it('is found by its data folder until it takes that back', () => {
    const end = announceDaemon('/data/b', state);
    announceDaemon('/data/a', state);
    const { pid } = process;
    expect(runningDaemons(state)).toEqual([
      { data: '/data/a', pid },
      { data: '/data/b', pid },
    ]);
    end();
    expect(runningDaemons(state)).toEqual([{ data: '/data/a', pid }]);
  });

  it('is written into a folder that is closed to others', () => {
    announceDaemon('/data', state);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder())).toHaveLength(1);
  });

  it('does not take back what a later daemon of the folder has written', () => {
    const end = announceDaemon('/data', state);
    change({ pid: 1 });
    end();
    expect(readdirSync(folder())).toHaveLength(1);
  });
});

describe('an entry that was left behind', () => {
  it('is removed when its process has ended', async () => {
    announceDaemon('/data', state);
    const child: ChildProcess = spawn(process.execPath, ['-e', '']);
    const pid = child.pid as number;
    await once(child, 'exit');
    change({ pid });
    expect(runningDaemons(state)).toEqual([]);
    expect(readdirSync(folder())).toEqual([]);
  });

  it('is removed when another process has its number now, or the machine was started since', () => {
    for (const started of ['another boot 1', null]) {
      announceDaemon('/data', state);
      const { started: was } = JSON.parse(readFileSync(fileOf(), 'utf8')) as { started: string };
      change({ started: started ?? was.replace(/\d+$/, '1') });
      expect(runningDaemons(state)).toEqual([]);
      expect(readdirSync(folder())).toEqual([]);
    }
  });

  it('stays when it is of another machine with the same home folder', () => {
    announceDaemon('/data', state);
    change({ host: 'elsewhere', pid: 1 });
    expect(runningDaemons(state)).toEqual([]);
    expect(readdirSync(folder())).toHaveLength(1);
  });
});

describe('an entry that others could have made', () => {
  it.each([
    ['others can write it', () => chmodSync(fileOf(), 0o666)],
    ['others can write the folder', () => chmodSync(folder(), 0o777)],
    ['it is half written', () => writeFileSync(fileOf(), '{"data":')],
    ['it is longer than any', () => writeFileSync(fileOf(), ' '.repeat(20_000))],
    ['it names another data folder than its name does', () => change({ data: '/other' })],
    ['its data folder is no whole path', () => change({ data: 'data' })],
    ['its process has a number that there is not', () => change({ pid: -1 })],
  ])('is not believed because %s', (_why, spoil) => {
    announceDaemon('/data', state);
    spoil();
    expect(runningDaemons(state)).toEqual([]);
  });

  it('is not believed when it is a link', () => {
    announceDaemon('/data', state);
    const [file, elsewhere] = [fileOf(), join(state, 'elsewhere')];
    writeFileSync(elsewhere, readFileSync(file));
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(runningDaemons(state)).toEqual([]);
  });

  it('is not believed when its folder is a link, and none is written there', () => {
    mkdirSync(join(state, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(state, 'elsewhere'), folder());
    announceDaemon('/data', state)();
    expect(readdirSync(join(state, 'elsewhere'))).toEqual([]);
    expect(runningDaemons(state)).toEqual([]);
  });

  const isRoot = process.getuid?.() === 0;
  it(`is not believed when it is of another user${isRoot ? '' : ' (only root can try that)'}`, async () => {
    announceDaemon('/data', state);
    if (!isRoot) return;
    const { chownSync } = await import('node:fs');
    chownSync(fileOf(), 65_534, 65_534);
    expect(runningDaemons(state)).toEqual([]);
    chownSync(folder(), 65_534, 65_534);
    expect(runningDaemons(state)).toEqual([]);
  });
});

it('no daemon is found when the folder does not exist', () => {
  expect(runningDaemons(join(state, 'none'))).toEqual([]);
});

/** A first start that does not come about: what of it stays. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { prepareFolders } from './prepare-folders.ts';
import type { UpPlan } from './up-plan.ts';
import { isRefusal } from './wait-for-hello.ts';
import { writeSettings } from './write-settings.ts';

const PLAN: UpPlan = {
  config: {
    server: { host: '10.0.0.1', port: 4433, fingerprint: 'ab'.repeat(32) },
    ...{ folder: null, frontEnd: 'none', deviceName: 'laptop', volume: 'home' },
  },
  pairing: { id: '1'.repeat(32), secret: '2'.repeat(32) },
  spare: null,
};

const host = new NativeHost();
let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-undone-'));
  data = join(root, 'data');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the settings of a first start', () => {
  it('are written with their invitation or not at all', () => {
    // In its way.
    mkdirSync(join(data, 'invitation.json'), { recursive: true });
    expect(() => writeSettings(data, PLAN, host)).toThrow();
    expect(readdirSync(data)).toEqual(['invitation.json']);
    rmSync(join(data, 'invitation.json'), { recursive: true });
    writeSettings(data, PLAN, host);
    expect(readdirSync(data).sort()).toEqual(['config.json', 'invitation.json']);
  });
});

describe('a first start that fails', () => {
  const begun = (...made: string[]) => {
    const undo = prepareFolders(data, join(root, 'synced'), host);
    writeSettings(data, PLAN, host);
    for (const name of made) writeFileSync(join(data, name), name);
    return undo;
  };

  it('leaves nothing when there was no key yet', () => {
    begun('daemon.lock').run(false);
    expect(readdirSync(root)).toEqual([]);
  });

  it('leaves the key, which the server may know', () => {
    begun('identity.json', 'daemon.db').run(false);
    expect(readdirSync(data).sort()).toEqual(['daemon.db', 'identity.json']);
    expect(existsSync(join(root, 'synced'))).toBe(false);
  });

  it('leaves only what was there before when the server refused it', () => {
    mkdirSync(data);
    writeFileSync(join(data, 'mine'), 'mine');
    begun('identity.json', 'daemon.db').run(true);
    expect(readdirSync(data)).toEqual(['mine']);
  });

  it('leaves what others wrote there meanwhile when the server refused it', () => {
    const undo = begun('identity.json', 'daemon.db', 'daemon.db-wal', 'daemon.lock');
    mkdirSync(join(data, 'store', 'contents'), { recursive: true });
    for (const name of ['log', 'theirs']) mkdirSync(join(data, name));
    const theirs = ['notes.txt', 'theirs/deep', 'log/their.log', 'config.json.bak'];
    for (const name of [...theirs, 'log/daemon.log']) writeFileSync(join(data, name), 'theirs');
    undo.run(true);
    const left = readdirSync(data, { recursive: true }).map(String).sort();
    expect(left).toEqual([...theirs, 'log', 'theirs'].sort());
  });

  it('leaves its files to another start that was faster', () => {
    const undo = begun('identity.json', 'daemon.db');
    undo.leave();
    expect(readdirSync(root)).toEqual(['data']);
    const left = ['config.json', 'daemon.db', 'identity.json', 'invitation.json'];
    expect(readdirSync(data).sort()).toEqual(left);
  });

  it.each<[ErrorCode, boolean]>([
    ['invitation-used', true],
    ['wrong-fingerprint', true],
    ['server-unreachable', false],
    ['disk-failing', false],
    ['folder-unusable', false],
    ['internal', false],
  ])('counts %s as refused by the server: %s', (code, refused) => {
    expect(isRefusal(new GodwitError(code))).toBe(refused);
  });
});

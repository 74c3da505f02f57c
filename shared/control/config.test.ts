import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../wire/error-codes.ts';
import {
  beginMove,
  readConfig,
  readInvitation,
  removeConfig,
  removeInvitation,
  settleMove,
  writeConfig,
  writeInvitation,
  type DaemonConfig,
} from './config.ts';
import { formatStartupFailure, parseStartupFailure, startupFailure } from './startup-failure.ts';

const CONFIG: DaemonConfig = {
  server: { host: '127.0.0.1', port: 4433, fingerprint: 'ab'.repeat(32) },
  folder: '/home/ann/Godwit',
  frontEnd: 'folder',
  deviceName: 'laptop',
  volume: 'home',
};

let folder: string;
/** What was there, whenever its folder was synced. */
let durable: string[];
const host = {
  syncDirectory(path: string): void {
    durable.push(readdirSync(path).sort().join(' '));
  },
};
beforeEach(() => {
  durable = [];
  folder = mkdtempSync(join(tmpdir(), 'godwit-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the settings of a daemon', () => {
  it('are reported with their path when they cannot be read', () => {
    const file = join(folder, 'config.json');
    mkdirSync(file);
    expect(() => readConfig(folder)).toThrow(`${file}: a folder is there, where a file is to be`);
    expect(() => readConfig(join(folder, 'none'))).not.toThrow();
  });

  it('are read as they were written, without other files beside them', () => {
    expect(readConfig(folder)).toBeNull();
    writeConfig(folder, CONFIG, host);
    writeConfig(folder, { ...CONFIG, folder: null, frontEnd: 'none' }, host);
    expect(readConfig(folder)).toEqual({ ...CONFIG, folder: null, frontEnd: 'none' });
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  it.each(['{', '{}', '{"server":1}'])('are reported as invalid: %s', (text) => {
    writeFileSync(join(folder, 'config.json'), text);
    expect(() => readConfig(folder)).toThrow(/config\.json: not settings/);
  });

  describe('the settings during a move of the folder', () => {
    const TOKEN = 'a token';
    const place = (name: string): string => join(folder, name);
    const put = (name: string): void => {
      mkdirSync(join(place(name), '.godwit'), { recursive: true });
      const marker = { volume: 1, volumeName: 'home', device: 'laptop', token: TOKEN };
      writeFileSync(join(place(name), '.godwit', 'marker.json'), JSON.stringify(marker));
    };
    beforeEach(() => {
      writeConfig(folder, { ...CONFIG, folder: place('old') }, host);
      beginMove(folder, { from: place('old'), to: place('new'), token: TOKEN }, host);
    });

    it.each([
      ['it has not moved', ['old'], 'old'],
      ['it has moved', ['new'], 'new'],
      // A copy: the settings are not changed by what anybody may have made.
      ['it is at both places', ['old', 'new'], 'old'],
      ['it is at no place', [], 'old'],
    ])('name the place where the folder is: %s', (_, there, told) => {
      for (const name of there) put(name);
      expect(readConfig(folder)?.folder).toBe(place(told));
      settleMove(folder, host);
      expect(existsSync(join(folder, 'folder-move.json'))).toBe(false);
      expect(readConfig(folder)).toEqual({ ...CONFIG, folder: place(told) });
      expect(durable.slice(-2)).toEqual([
        expect.stringContaining('config.json folder-move.json'),
        expect.stringMatching(/^config\.json(?! folder-move)/),
      ]);
    });

    it('name the latest place, whatever an old note says', () => {
      put('new');
      writeConfig(folder, { ...CONFIG, folder: place('third') }, host);
      expect(readConfig(folder)?.folder).toBe(place('third'));
    });
  });

  it('keep an invitation private and delete it', () => {
    writeInvitation(folder, { id: '1'.repeat(32), secret: '2'.repeat(32) }, host);
    expect(statSync(join(folder, 'invitation.json')).mode & 0o777).toBe(0o600);
    expect(readInvitation(folder)?.secret).toBe('2'.repeat(32));
    removeInvitation(folder, host);
    removeInvitation(folder, host);
    expect(readInvitation(folder)).toBeNull();
  });

  it('are durable before the next step begins', () => {
    const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
    writeInvitation(folder, invitation, host);
    writeConfig(folder, CONFIG, host);
    removeInvitation(folder, host);
    removeConfig(folder, host);
    expect(durable).toEqual(['invitation.json', 'config.json invitation.json', 'config.json', '']);
  });
});

describe('a failure at the start', () => {
  it('is found among other lines of output', () => {
    const line = formatStartupFailure(new GodwitError('newer-database', 'x.db: schema 9'));
    expect(parseStartupFailure(`a warning\n${line}\n\n`)).toMatchObject({
      code: 'newer-database',
      message: 'x.db: schema 9',
    });
  });

  it('keeps its code, and is internal when it has none, except for a full disk', () => {
    const place = { path: '/x', code: 'folder-unusable' } as const;
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const coded = new GodwitError('already-running');
    expect(startupFailure(coded, place)).toBe(coded);
    expect(startupFailure(full)).toMatchObject({ code: 'disk-full', message: 'the disk is full' });
    expect(startupFailure(full, place).message).toBe('/x: the disk is full');
    const failing = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
    expect(startupFailure(failing, place).code).toBe('disk-failing');
    expect(startupFailure(failing).code).toBe('disk-failing');
    expect(startupFailure(new Error('why'))).toMatchObject({ code: 'internal', message: 'why' });
    expect(startupFailure(new Error('why'), place)).toMatchObject({
      code: 'folder-unusable',
      message: '/x can not be used: why',
    });
  });

  it.each(['', 'plain text', '{"error":{"code":"no-such-code"}}', 'null'])(
    'is not found in %j',
    (text) => {
      expect(parseStartupFailure(text)).toBeNull();
    },
  );
});

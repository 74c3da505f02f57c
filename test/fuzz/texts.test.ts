/**
 * Texts and files that people, other programs and other versions hand us: a value that is read back the same, or a coded error
 * (null where the contract says so). Never another throw.
 */
import { isUtf8 } from 'node:buffer';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { FAULTS } from '../../app/lab/simulator/fault/faults.ts';
import { makePlan } from '../../app/lab/simulator/plan/make-plan.ts';
import { PlanError, readSavedRun } from '../../app/lab/simulator/plan/read-plan.ts';
import { OwnDirectory } from '../../daemon/adapters/folder/disk/own-directory.ts';
import { systemDisk } from '../../daemon/adapters/folder/disk/system-disk.ts';
import { identityOf } from '../../daemon/data-folder.ts';
import { readConfig, readInvitation, writeConfig } from '../../shared/control/config.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import { formatStartupFailure, parseStartupFailure } from '../../shared/control/startup-failure.ts';
import { formatInvitation, parseInvitation } from '../../shared/model/invitation.ts';
import { nameFault } from '../../shared/model/names.ts';
import { SystemRandom } from '../../shared/system/system-random.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { xattrs } from '../../shared/wire/fields.ts';
import { fakeHost } from '../support/fake-daemon.ts';
import { damage, damaged, hostile, spoilt } from './damage.ts';
import { fuzz } from './runs.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The value, or null for a coded error. */
function coded<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof GodwitError || error instanceof PlanError) return null;
    throw error;
  }
}

const wrong = fc.record({ steps: damage, at: fc.nat(), by: hostile, isValue: fc.boolean() });
type Wrong = typeof wrong extends fc.Arbitrary<infer T> ? T : never;

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // What can't be written (a cycle, a bigint) is in no file either.
  }
}

/** A JSON file of ours after changes by others. */
function spoiltFile(value: unknown, { steps, at, by, isValue }: Wrong): Buffer {
  return isValue
    ? Buffer.from(json(spoilt(value, at, by)))
    : damaged(Buffer.from(json(value)), steps);
}

function write(name: string, bytes: Uint8Array): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

const invitation = {
  host: 'fe80::1%eth0',
  port: 4433,
  fingerprint: 'ab'.repeat(32),
  id: '01'.repeat(16),
  secret: 'fe'.repeat(16),
};

describe('texts', () => {
  fuzz('invitations', fc.tuple(damage, fc.string({ unit: 'binary' })), ([steps, text]) => {
    const bytes = damaged(Buffer.from(formatInvitation(invitation)), steps);
    for (const given of [bytes.toString('utf8'), bytes.toString('latin1'), text]) {
      const read = parseInvitation(given);
      if (read !== null) expect(formatInvitation(read)).toBe(given.trim());
    }
  });

  const failure = new GodwitError('not-paired', 'who is this?');
  fuzz('lines of a failed start', damage, (steps) => {
    const bytes = damaged(Buffer.from(`x\n${formatStartupFailure(failure)}\n`), steps);
    const read = parseStartupFailure(bytes.toString('utf8'));
    if (read !== null) expect(parseStartupFailure(formatStartupFailure(read))).toEqual(read);
  });

  fuzz('bytes of names', fc.uint8Array({ maxLength: 300 }), (bytes) => {
    const name = Buffer.from(bytes).toString('utf8');
    // Bytes that are no text are told by themselves: a name may hold what stands for them.
    if (isUtf8(bytes) && nameFault(name) === null)
      expect(Buffer.from(name)).toEqual(Buffer.from(bytes));
  });

  const value = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9+/]{0,12}={0,3}$/),
    fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.string({ unit: 'binary' }),
  );
  fuzz('extended attributes', fc.tuple(fc.string({ unit: 'binary' }), value), ([name, text]) => {
    if (!xattrs.safeParse([{ name, value: text }]).success) return;
    expect(Buffer.from(text, 'base64').toString('base64')).toBe(text);
    expect(Buffer.from(name).toString()).toBe(name);
  });
});

describe('files of the data folder', () => {
  const config = {
    server: { host: 'files.example.org', port: 4433, fingerprint: 'ab'.repeat(32) },
    folder: '/home/ada/shared',
    frontEnd: 'folder' as const,
    deviceName: 'laptop',
    volume: 'shared',
  };
  fuzz('config.json', wrong, (hand) => {
    write('config.json', spoiltFile(config, hand));
    const read = coded(() => readConfig(folder));
    if (read === null) return;
    writeConfig(folder, read, { syncDirectory: () => undefined });
    expect(readConfig(folder)).toEqual(read);
  });

  fuzz('folder-move.json', wrong, (hand) => {
    writeConfig(folder, config, { syncDirectory: () => undefined });
    const moved = { from: config.folder, to: '/mnt/shared', token: 'ab'.repeat(16) };
    const note = write('folder-move.json', spoiltFile(moved, hand));
    expect(coded(() => readConfig(folder))?.folder ?? config.folder).toBe(config.folder);
    rmSync(note);
  });

  fuzz('invitation.json', wrong, (hand) => {
    const { id, secret } = invitation;
    write('invitation.json', spoiltFile({ id, secret }, hand));
    const read = coded(() => readInvitation(folder));
    if (read !== null) expect(formatInvitation({ ...invitation, ...read })).toContain(read.secret);
  });

  fuzz('control.json', wrong, (hand) => {
    write('control.json', spoiltFile({ socket: '/run/x', pid: 7 }, hand));
    const read = readControlFile(folder);
    if (read !== null) expect(typeof read.socket).toBe('string');
  });

  const identity = { certificatePem: 'a', privateKeyPem: 'b', fingerprint: 'c' };
  fuzz('identity.json', wrong, (hand) => {
    const bytes = spoiltFile(identity, hand);
    const file = write('identity.json', bytes);
    const made = (): never => {
      throw new Error('a device that has an identity gets no other one');
    };
    const unused = { database: '', store: '', chunkLists: '', spool: '', transfers: '', log: '' };
    const place = { path: folder, ...unused };
    const read = coded(() => identityOf(place, made, fakeHost({ pid: 1, uid: 0, gid: 0 })));
    expect(readFileSync(file)).toEqual(bytes);
    for (const field of Object.values(read ?? {}).slice(0, 3)) expect(typeof field).toBe('string');
  });

  const marker = { volume: 1, volumeName: 'shared', device: 'laptop', token: 'ab'.repeat(16) };
  fuzz('marker.json', wrong, (hand) => {
    write('.godwit/marker.json', spoiltFile(marker, hand));
    const own = new OwnDirectory(folder, systemDisk(new NativeHost()), new SystemRandom());
    const read = own.readMarker();
    if (read === null) return;
    own.writeMarker(read);
    expect(own.readMarker()).toEqual({ ...read, note: expect.any(String) as unknown });
  });
});

describe('plans', () => {
  const saved = { plan: makePlan({ seed: 7, steps: 60, faults: FAULTS }) };
  fuzz(
    'plans to replay',
    wrong,
    (hand) => {
      const read = coded(() => readSavedRun(spoiltFile(saved, hand).toString('utf8')));
      if (read !== null) expect(readSavedRun(JSON.stringify(read))).toEqual(read);
    },
    { usual: 60, share: 0.2 },
  );
});

/** Files that other programs and versions may have changed: settings, identities, markers, manifests, ignore files. */
import { generateIdentity } from '../../../../shared/transport/identity.ts';
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import { readSmall } from '../../../../daemon/adapters/folder/disk/system-disk.ts';
import { IgnoreRules } from '../../../../daemon/adapters/folder/local/ignore-rules.ts';
import { identityOf } from '../../../../daemon/data-folder.ts';
import {
  FORMAT,
  manifestPath,
  readManifest,
} from '../../../../server/maintenance/backup/manifest.ts';
import { dataFolder } from '../../../../server/data-folder.ts';
import { readIdentity } from '../../../../server/identity-file.ts';
import { readConfig, readInvitation } from '../../../../shared/control/config.ts';
import { readMarker } from '../../../../shared/control/marker.ts';
import { readControlFile } from '../../../../shared/control/control-file.ts';
import { formatInvitation } from '../../../../shared/model/invitation.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { fakeHost } from '../../../support/fake-daemon.ts';
import { JSON_TOKENS, text, type Parser, type ParserRow } from '../parser.ts';

const ERA = 10_000;

/** A scratch folder, in memory where possible, since a file is written for each input. */
export function scratchFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'godwit-fuzz-'));
}

interface File {
  readonly name: string;
  readonly corpus: readonly unknown[];
  readonly tokens?: readonly Uint8Array[];
  /** Reads the file in this folder. Returns whether it was accepted. */
  readonly check: (folder: string, bytes: Uint8Array) => boolean;
}

function file({ name, corpus, tokens = JSON_TOKENS, check }: File): Parser {
  const folder = scratchFolder();
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  const asBytes = (value: unknown): Uint8Array =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 1));
  return {
    corpus: () => corpus.map(asBytes),
    tokens,
    check: (bytes) => {
      writeFileSync(path, bytes);
      return check(folder, bytes);
    },
    allows: (error) => error instanceof GodwitError && error.code !== 'internal',
    close: () => rmSync(folder, { recursive: true }),
  };
}

const PRINT = 'ab'.repeat(32);
const CONFIG = {
  server: { host: 'files.example.org', port: 4433, fingerprint: PRINT },
  ...{ folder: '/home/ada/shared', frontEnd: 'folder', deviceName: 'laptop', volume: 'shared' },
};

const config: File = {
  name: 'config.json',
  corpus: [CONFIG, { ...CONFIG, folder: null, frontEnd: 'none' }],
  check: (folder) => {
    const read = readConfig(folder);
    ok(read !== null && read.server.port > 0 && read.deviceName.length > 0);
    return true;
  },
};

/** The settings name the folder's place as long as no folder of that token is at the new one. */
const move: File = {
  name: 'folder-move.json',
  corpus: [{ from: CONFIG.folder, to: '/mnt/shared', token: PRINT }],
  check: (folder) => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify(CONFIG));
    equal(readConfig(folder)?.folder, CONFIG.folder);
    return true;
  },
};

const SECRETS = { id: '01'.repeat(16), secret: 'fe'.repeat(16) };

const invitation: File = {
  name: 'invitation.json',
  corpus: [SECRETS],
  check: (folder) => {
    const read = readInvitation(folder);
    ok(read !== null);
    const whole = { host: 'x', port: 1, fingerprint: PRINT, ...read };
    ok(formatInvitation(whole).includes(read.secret));
    return true;
  },
};

const control: File = {
  name: 'control.json',
  corpus: [{ socket: '/run/x', pid: 7 }],
  check: (folder) => {
    const read = readControlFile(folder);
    if (read !== null) ok(typeof read.socket === 'string' && read.pid >= 1);
    return read !== null;
  },
};

const IDENTITY = { certificatePem: 'a', privateKeyPem: 'b', fingerprint: 'c' };
const strings = (value: object | null): boolean => {
  const { certificatePem, privateKeyPem, fingerprint } = (value ?? {}) as Record<string, unknown>;
  for (const field of [certificatePem, privateKeyPem, fingerprint]) equal(typeof field, 'string');
  return true;
};

/** Only a whole key is taken: this one is made for the run, so a finding is told again by its input, and not by its seed. */
const ownIdentity: File = {
  name: 'identity.json',
  corpus: [generateIdentity('laptop')],
  check: (path, bytes) => {
    const made = (): never => {
      throw new Error('a device that has an identity gets no other one');
    };
    const unused = { database: '', store: '', chunkLists: '', spool: '', transfers: '', log: '' };
    const read = identityOf({ path, ...unused }, made, fakeHost({ pid: 1, uid: 0, gid: 0 }));
    ok(readFileSync(join(path, 'identity.json')).equals(bytes));
    return strings(read);
  },
};

const serverIdentity: File = {
  name: 'identity.json',
  corpus: [IDENTITY],
  check: (folder) => strings(readIdentity(dataFolder(folder))),
};

const marker: File = {
  name: '.godwit/marker.json',
  corpus: [
    { volume: 1, volumeName: 'shared', device: 'laptop', token: 'ab'.repeat(16), note: 'x' },
  ],
  check: (folder) => {
    const read = readMarker(folder);
    if (read !== null) ok(typeof read.token === 'string' && typeof read.volume === 'number');
    return read !== null;
  },
};

const SNAPSHOT = {
  ...{ made: '2026-01-31T18:30:00.000Z', epoch: 'e', volumes: [{ name: 'shared', head: 7 }] },
  metadata: { file: 'metadata-1a.db', bytes: 4096, digest: PRINT },
  contents: { count: 2, bytes: 7 },
  packs: [{ number: 1, mark: '0123456789abcdef', length: 64, digest: PRINT }],
  lacking: [PRINT],
};

const manifest: File = {
  name: 'manifest.json',
  corpus: [
    { format: FORMAT, server: PRINT, snapshot: null },
    { format: FORMAT, server: PRINT, snapshot: SNAPSHOT },
  ],
  check: (folder) => {
    const read = readManifest(folder);
    ok(read !== null && existsSync(manifestPath(folder)));
    for (const { length } of read.snapshot?.packs ?? []) ok(Number.isSafeInteger(length));
    return true;
  },
};

const PATHS = [
  ...[['a'], ['aa', 'b'], ['src', 'x.o'], ['.a'], ['..a'], ['a b'], ['['], ['\\'], ['*']],
  ...[['a'.repeat(40)], ['x', 'y', 'z', 'a.tmp'], ['\u{1f600}'], ['a\n'], ['é', 'e\u0301']],
];

const ignores: File = {
  name: IGNORE_FILE,
  corpus: [
    ...['*.o\nbuild/\n!keep.o\n', '/a\n**/b\nc/**\n', '# note\n\\#a\n\\!b\na\\ \n', '[a-z]?[!0]\n'],
    ...[
      '\ufeff*.tmp\r\n.*\r\n',
      '**/a/**/b\n*a*a*a\n',
      '[[:alpha:]]*\n[z-a]\n[\n',
      '(a)+$|{2,}^.\n',
    ],
  ],
  tokens: text(
    ...[
      '*',
      '**',
      '**/',
      '/',
      '/**',
      '?',
      '[',
      ']',
      '[!',
      '[^',
      '[z-a]',
      '[[:x:]]',
      '\\',
      '\\ ',
      '!',
    ],
    ...['#', '(', ')+', '{2,}', '|', '^', '$', '\0', '\ue000', '\ufeff', '\t', '\n', '\r\n', ' '],
  ),
  check: (folder) => {
    const rules = new IgnoreRules(folder, { readSmall });
    for (const path of PATHS) equal(typeof rules.isIgnored(path, path.length > 1), 'boolean');
    deepStrictEqual(rules.isNameIgnored(['.godwit'], true), true);
    return true;
  },
};

const row = (name: string, weight: number, content: File): ParserRow => ({
  ...{ name, weight, era: ERA, open: () => file(content) },
});

export const FOLDER_FILES: readonly ParserRow[] = [
  row('config.json', 1, config),
  row('folder-move.json', 1, move),
  row('invitation.json', 1, invitation),
  row('control.json', 1, control),
  row('identity.json of a device', 1, ownIdentity),
  row('identity.json of a server', 1, serverIdentity),
  row('marker.json', 1, marker),
  row('manifest.json of a backup', 1, manifest),
  row('ignore files', 0.5, ignores),
];

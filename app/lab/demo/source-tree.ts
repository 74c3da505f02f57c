/**
 * The tree that the demo makes where it is given none: some six hundred files of every kind that a synced folder must
 * carry, the same ones each time.
 */
import {
  linkSync,
  lutimesSync,
  mkdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';

const FOLDERS = [
  'letters',
  'letters/2024',
  'photos/été à Genève',
  'src/lib/deep/deeper',
  'über uns',
];
const FILES_PER_FOLDER = 118;
const MAX_SMALL_BYTES = 12_000;
const LARGE_BYTES = 3_000_000;
/** Seconds since 1970 of the oldest file; the others follow at odd intervals. */
const OLDEST = 1_200_000_000;

const NAMES = [
  '日本語.txt',
  'emoji 🐦.md',
  'cafe\u0301 (NFD).txt',
  'caf\u00e9 (NFC).txt',
  ' leading space',
  'a#b%c&d.txt',
  "it's",
  '-dash',
  'tab\tin it',
];

/** Makes the demo's tree in an empty folder, the same one each time. */
export function makeSourceTree(root: string): void {
  const random = new SeededRandom('demo tree');
  const touched: string[] = [];
  const put = (path: string, contents: string | Buffer, mode = 0o644): void => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), contents);
    chmodSync(join(root, path), mode);
    touched.push(path);
  };
  for (const folder of FOLDERS) {
    for (let index = 0; index < FILES_PER_FOLDER; index++) {
      put(
        `${folder}/file ${String(index).padStart(3, '0')}.txt`,
        bytesOf(random, random.below(MAX_SMALL_BYTES)),
      );
    }
  }
  for (const name of NAMES) put(`names/${name}`, `the file ${name}\n`);
  put('empty file', '');
  put('large.bin', bytesOf(random, LARGE_BYTES));
  put('bin/run.sh', '#!/bin/sh\necho godwit\n', 0o755);
  put('bin/private.sh', '#!/bin/sh\nexit 0\n', 0o700);
  put('read only.txt', 'nobody writes here\n', 0o444);
  put('secret.txt', 'for one pair of eyes\n', 0o600);
  for (const folder of ['empty', 'empties/one', 'empties/two/three']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  chmodSync(join(root, 'empties'), 0o700);
  linkSync(join(root, 'large.bin'), join(root, 'letters/large.bin'));
  linkSync(join(root, 'bin/run.sh'), join(root, 'bin/run-again.sh'));
  const links = [
    ['to a file', 'large.bin'],
    ['to a folder', 'letters/2024'],
    ['to nothing', 'no/such/file'],
    ['letters/upwards', '../photos'],
    ['names/to ü', '../über uns'],
  ] as const;
  for (const [path, target] of links) symlinkSync(target, join(root, path));
  setTimes(
    root,
    touched,
    links.map(([path]) => path),
  );
}

function setTimes(root: string, files: readonly string[], links: readonly string[]): void {
  let time = OLDEST;
  const next = (): number => (time += 3217.000_213);
  for (const path of files) {
    const at = next();
    utimesSync(join(root, path), at, at);
  }
  for (const path of links) {
    const at = next();
    lutimesSync(join(root, path), at, at);
  }
  for (const path of [
    'empties/two/three',
    'empties/two',
    'empties/one',
    'empties',
    'empty',
    'letters/2024',
    'letters',
  ]) {
    const at = next();
    utimesSync(join(root, path), at, at);
  }
}

function bytesOf(random: SeededRandom, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index + 4 <= length; index += 4) bytes.writeUInt32LE(random.next32(), index);
  return bytes;
}

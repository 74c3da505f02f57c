/** The rows of the folder's rooms in build/layers.mjs: which room knows which, and that only a few files touch this machine. */
import { world } from './layer-rows.mjs';

const FOLDER = 'daemon/adapters/folder';

/** What every room may use: it knows no room itself. */
const GROUND = [
  'background',
  'error-board',
  'error-words',
  'folder-events',
  'folder-limits',
  'kept-states',
  'yielder',
].map((file) => `${FOLDER}/${file}.ts`);

const SHARED = [
  'shared/concurrency',
  'shared/control',
  'shared/model',
  'shared/ports',
  'shared/util',
  'shared/wire/error-codes.ts',
  'daemon/adapters/store/disk-errors.ts',
  'daemon/limits.ts',
];

/** What computes and asks nobody. */
const NO_FILES = ['node:buffer', 'node:path'];

const WHY_NO_FILES =
  'it runs on a simulated disk too: what it does to files goes through the Disk that it is given, and the rest of the world through ports';

/** The one who opens it: what is left out of its world is that of this machine. */
const OPENER = `${FOLDER}/folder-front-end.ts`;

/** What of this machine the folder is given. Nothing of the folder but who opens it knows these. */
const MACHINE = ['system-disk', 'sparse-copy', 'system-mounts', 'ask-in-shell'].map(
  (file) => `${FOLDER}/disk/${file}.ts`,
);

const ROOMS = ['watch', 'disk', 'records', 'placeholders', 'local', 'remote'];

/** What other adapters and the daemon itself use of the folder. */
export const FOLDER_ROOMS = [
  ...['', '/disk', '/records'].map((room) => `${FOLDER}${room}`),
  OPENER,
  ...MACHINE,
];

export const FOLDER_LAYERS = [
  room('', ROOMS, {
    // Tests damage its database.
    code: ['shared/sqlite'],
    packages: ['better-sqlite3'],
    why: 'the files beside the rooms put them together, or are what all of them use',
  }),
  room('/folder-front-end.ts', ['', ...ROOMS], {
    code: [...MACHINE, 'shared/system/system-random.ts'],
    node: [...NO_FILES, 'node:timers/promises'],
    ambient: true,
    why: 'it opens the folder, in the world that it is given or on this machine',
  }),
  // Numbers of errors by their names.
  room('/disk', [], { node: [...NO_FILES, 'node:os'] }),
  ...MACHINE.map((path) =>
    world(path, {
      code: [`${FOLDER}/disk`, ...MACHINE, 'shared/ports', 'shared/system/make-folder.ts'],
      why: 'it fulfils what the folder asks of a disk, on this machine',
    }),
  ),
  room('/records', ['disk'], { code: ['shared/sqlite'] }),
  room('/watch', ['disk', 'records'], { packages: ['chokidar'] }),
  // What stands in a placeholder has a checksum.
  room('/placeholders', ['disk', 'records'], { node: [...NO_FILES, 'node:crypto'] }),
  room('/local', ['watch', 'disk', 'records', 'placeholders'], { packages: ['ignore'] }),
  room('/remote', ['watch', 'disk', 'records', 'placeholders', 'local'], {
    node: [...NO_FILES, 'node:async_hooks'],
  }),
];

/** Volumes that are mounted in the folder: front ends of the same kind, inside of each other. */
const MOUNTED = 'daemon/adapters/mounted';

export const MOUNTED_LAYERS = [
  world(MOUNTED, {
    code: [
      ...['', '/disk', '/records', '/remote'].map((path) => `${FOLDER}${path}`),
      ...GROUND,
      ...SHARED,
      OPENER,
      'shared/system/system-random.ts',
    ],
    types: ['shared/wire'],
    packages: [],
    node: [...NO_FILES, 'node:timers/promises'],
    why: WHY_NO_FILES,
    ambient: true,
  }),
];

/** A volume that is mounted: its own addon, and files of the data folder. */
export const MOUNT_LAYER = world('daemon/adapters/mount', {
  code: [...SHARED, 'shared/system/disk-error.ts', 'shared/system/fuse.ts'],
  types: ['shared/wire'],
  why: 'it fulfils ports by what the kernel asks; it knows no other front end',
});

function room(path, rooms, row = {}) {
  const { code = [], packages = [], node = NO_FILES, why = WHY_NO_FILES, ambient = false } = row;
  const others = rooms.map((other) => (other === '' ? FOLDER : `${FOLDER}/${other}`));
  return world(`${FOLDER}${path}`, {
    code: [...others, ...GROUND, ...SHARED, ...code],
    // Tests run on the disk of this machine.
    types: ['shared/wire', ...MACHINE],
    packages,
    node,
    why,
    ambient,
  });
}

/** The rows of the folder's rooms in build/layers.mjs: which room knows which, and that only one of them touches a disk. */
import { ANY, world } from './layer-rows.mjs';

const FOLDER = 'daemon/adapters/folder';

/** What every room may use: it knows no room itself. */
const GROUND = [
  'background',
  'error-board',
  'error-words',
  'folder-events',
  'folder-limits',
  'yielder',
];

const SHARED = [
  'shared/concurrency',
  'shared/control',
  'shared/model',
  'shared/ports',
  'shared/sqlite',
  'shared/system/make-folder.ts',
  'shared/util',
  'shared/wire/error-codes.ts',
  'daemon/adapters/store/disk-errors.ts',
  'daemon/limits.ts',
];

/** No `node:fs`, and no program is started. */
const NO_FILES = [
  'node:async_hooks',
  'node:buffer',
  'node:crypto',
  'node:path',
  'node:timers/promises',
];

const WHY_NO_FILES = 'what it does to files goes through the Disk that it is given';

/** What other adapters and the daemon itself use of the folder. */
export const FOLDER_ROOMS = ['', '/disk', '/records'].map((room) => `${FOLDER}${room}`);

export const FOLDER_LAYERS = [
  room('', ['watch', 'disk', 'records', 'placeholders', 'local', 'remote'], {
    // Tests damage its database.
    packages: ['better-sqlite3'],
    why: 'the files beside the rooms put them together, or are what all of them use',
  }),
  room('/disk', [], {
    code: ['shared/system/private-folder.ts'],
    node: ANY,
    why: 'the one room that touches files; it knows none of the others',
  }),
  room('/records', ['disk']),
  room('/watch', ['disk', 'records'], { packages: ['chokidar'] }),
  room('/placeholders', ['disk', 'records']),
  room('/local', ['watch', 'disk', 'records', 'placeholders'], { packages: ['ignore'] }),
  room('/remote', ['watch', 'disk', 'records', 'placeholders', 'local']),
];

function room(path, rooms, { code = [], packages = [], node = NO_FILES, why = WHY_NO_FILES } = {}) {
  const others = rooms.map((other) => `${FOLDER}/${other}`);
  const ground = GROUND.map((file) => `${FOLDER}/${file}.ts`);
  return world(`${FOLDER}${path}`, {
    code: [...others, ...ground, ...SHARED, ...code],
    types: ['shared/wire'],
    packages,
    node,
    why,
  });
}

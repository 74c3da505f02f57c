/**
 * Who may import whom: the one table behind the lint rule (build/lint/layers-rule.mjs) and the house
 * tests (test/tidy).
 *
 * The row with the longest matching `path` judges a file. A row gives
 *   path      a folder, or a file; with `direct`, only the files directly in the folder
 *   code      rows (folders, files) it may import anything from; its own row always
 *   types     rows it may import types from, and nothing else
 *   packages  npm packages, or ANY
 *   node      names of node: modules, or ANY
 *   why       the reason; it is part of the message
 *   ambient   true: may use the clock, randomness, timers and the process without a port
 *   promises  true: may use promises and async functions
 * A folder without a row is refused, so that a new room gets a row, with its reason, first.
 *
 * @typedef {object} Layer
 * @property {string} path
 * @property {boolean} direct
 * @property {string | string[]} code
 * @property {string[]} types
 * @property {string | string[]} packages
 * @property {string | string[]} node
 * @property {string} why
 * @property {boolean} ambient
 * @property {boolean} promises
 */ import { FOLDER_LAYERS, FOLDER_ROOMS, MOUNT_LAYER, MOUNTED_LAYERS } from './folder-layers.mjs';
import { LABORATORY_LAYERS } from './laboratory-layers.mjs';
import { ANY, pure, world } from './layer-rows.mjs';

const PURE =
  'the core decides and does nothing else: same events, same answers, in any order of the outside world';
const PORTED = 'it runs unchanged in the simulator, so the world comes in through ports';
const ROOM = 'an adapter fulfils ports; what is decided, is decided in the core';

const TRAY = [
  'shared/control',
  'shared/model',
  'shared/system/user-folders.ts',
  // Sizes and times are written as the CLI writes them.
  'shared/util/amounts.ts',
];
const VIEW = ['app/tray/view', 'app/tray/view/clock.ts', 'app/tray/view/api.ts'];

/** @type {Layer[]} */
export const LAYERS = [
  pure('shared/util', [], 'pure structures that know no word of the product'),
  {
    ...pure('shared/concurrency', [], 'so much work at a time, for runtimes and adapters alike'),
    promises: true,
  },
  {
    ...pure('shared/model', ['shared/util'], 'the nouns; they know nobody who uses them'),
    // Secrets of invitations are kept as their SHA-256.
    packages: ['@noble/hashes'],
  },
  {
    ...pure(
      'shared/wire',
      ['shared/model', 'shared/util'],
      'what travels, apart from who sends it',
    ),
    packages: ['zod', 'msgpackr'],
  },
  {
    ...pure('shared/ports', ['shared/model'], 'interfaces only: a port knows neither side of it'),
    types: ['shared/wire', 'shared/control'],
    promises: true,
  },
  {
    ...pure(
      'shared/control',
      [
        'shared/model',
        'shared/wire/error-codes.ts',
        'shared/system/disk-error.ts',
        // Settings are on the disk when `up` goes on.
        'shared/system/durable-file.ts',
        'shared/system/make-folder.ts',
        'shared/system/user-folders.ts',
        'shared/system/node-http.ts',
      ],
      'the tray and the CLI see this and not the daemon; errors keep their codes on the way',
    ),
    // The client offers the file-system port to programs.
    types: ['shared/ports'],
    packages: ['zod', 'ws'],
    node: ANY,
    ambient: true,
    promises: true,
  },
  world('shared/transport', {
    code: ['shared/ports', 'shared/wire', 'shared/util', 'shared/model'],
    why: 'it carries bytes for both programs and knows neither',
  }),

  world('shared/sqlite', {
    // A database is for its user alone.
    code: ['shared/wire', 'shared/system/private-folder.ts', 'shared/system/make-folder.ts'],
    packages: ['better-sqlite3'],
    why: 'both programs open a database the same way; what is in it is theirs',
  }),

  world('shared/system', {
    // An error of the disk at a start has a code.
    code: ['shared/ports', 'shared/model', 'shared/wire/error-codes.ts'],
    why: 'the clock, timers, randomness and disks of this machine, the same for both programs',
  }),

  world('shared/group', {
    code: [
      'shared/control/groups.ts',
      'shared/model',
      'shared/ports',
      'shared/wire/error-codes.ts',
      'shared/wire/null-if-absent.ts',
    ],
    packages: [],
    why: 'file groups are made through the file-system port, by a person or for a replay in either world',
  }),

  pure(
    'shared/logging/log-fields.ts',
    ['shared/ports'],
    'what of a line may be written is the same in both worlds',
  ),
  world('shared/logging', {
    code: ['shared/logging/log-fields.ts', 'shared/ports'],
    packages: ['winston'],
    why: 'the programs log the same way; only who starts one knows that it is a file',
  }),

  world('shared/page', {
    code: [
      'shared/model',
      'shared/util',
      'shared/ports',
      'shared/wire/error-codes.ts',
      'shared/system/node-http.ts',
      // What comes in a request is read as on the control socket.
      'shared/control/read-body.ts',
    ],
    types: ['shared/control'],
    packages: ['zod'],
    why: 'a page is served one way, whoever answers its calls',
  }),

  world('shared/metrics', {
    code: [
      'shared/ports',
      'shared/model',
      'shared/util',
      'shared/wire/error-codes.ts',
      // Calls are counted by name, which the first bytes of a message tell.
      'shared/wire/first-bytes.ts',
      'shared/wire/rpcs.ts',
      // How much room a disk has.
      'shared/system/free-disk.ts',
      'shared/system/node-http.ts',
    ],
    packages: ['prom-client'],
    why: 'both programs tell figures the same way; which ones is theirs',
  }),

  ...program('daemon', [...FOLDER_ROOMS, 'daemon/adapters/mounted', 'daemon/adapters/mount']),
  ...FOLDER_LAYERS,
  MOUNT_LAYER,
  ...MOUNTED_LAYERS,
  ...program('server'),
  world('server/maintenance', {
    code: [
      'server/adapters',
      'server/data-folder.ts',
      'server/identity-file.ts',
      'server/limits.ts',
      'shared/control/addresses.ts',
      // What a running server tells its administrator has kinds of volumes.
      'shared/control/server-statistics.ts',
      'shared/model',
      'shared/ports',
      'shared/sqlite',
      'shared/system',
      'shared/util',
      'shared/wire',
      // The host of this machine, for the commands of an administrator.
      'shared/transport/native-host.ts',
    ],
    packages: ANY,
    why: 'what an administrator has done works on the data folder, beside a running server or without one',
  }),

  world('app/cli', {
    code: [
      'shared/control',
      'shared/model',
      'shared/util',
      'shared/logging',
      'shared/group',
      'shared/concurrency',
      'app/cli/laboratory.ts',
      // `godwit ui` sets a device up; `godwit up` starts the server that it has set up.
      'app/first-run',
      // Exit codes and remedies come from the one table of errors.
      'shared/wire/error-codes.ts',
      'shared/wire/null-if-absent.ts',
      'shared/ports',
      // `godwit server` runs in the foreground; `godwit doctor` tries whether the addon loads, by which `godwit up` makes its files durable.
      'server/main.ts',
      'server/maintenance/administration.ts',
      'shared/transport/native-host.ts',
      // `godwit doctor` looks at the databases of a daemon, beside it.
      'shared/sqlite',
      // A program that can't start reports its disk's error, and which disk is full.
      'shared/system/disk-error.ts',
      'shared/system/free-disk.ts',
      'shared/system/make-folder.ts',
      // `godwit server setup` writes the settings of a service.
      'shared/system/durable-file.ts',
      // The default folders of data.
      'shared/system/user-folders.ts',
      // What a mount needs is asked before there is a daemon.
      'shared/system/fuse.ts',
      // A daemon that was started before an update is told from this program.
      'shared/system/program-version.ts',
      'shared/system/open-with-desktop.ts',
    ],
    // What the commands of an administrator print.
    types: ['server/maintenance'],
    packages: ANY,
    why: 'the CLI knows what the control API says, and starts the programs by their main.ts',
  }),
  world('app/cli/main.ts', {
    code: ['app/cli/godwit.ts', 'shared/system/bundle.ts'],
    why: 'it loads the command, from the bundle or the sources, and nothing before that',
  }),
  world('app/cli/laboratory.ts', {
    code: ['app/lab/laboratory.ts', 'app/cli', 'shared/wire/error-codes.ts'],
    packages: ['commander'],
    why: 'the one way to the laboratory, which a package may leave out',
  }),
  world('app/first-run', {
    code: [
      'shared/control',
      'shared/model',
      'shared/page',
      'shared/ports',
      'shared/system',
      'shared/wire/error-codes.ts',
    ],
    packages: ['zod'],
    why: 'a device is set up by commands of the CLI, whether the tray or a browser shows the page',
  }),
  {
    ...pure(
      'app/tray/view',
      // Clock texts have the reader's own time of day.
      ['app/tray/view/clock.ts', ...TRAY],
      'what the tray and its page say follows from the status of the daemon, and is tested without either',
    ),
    // Which lines of two texts differ.
    packages: ['diff'],
  },
  {
    ...pure('app/tray/view/clock.ts', [], 'the one place that knows where the reader is'),
    ambient: true,
  },
  {
    ...pure(
      'app/tray/view/api.ts',
      [...TRAY, 'app/tray/view/appearance.ts'],
      'the page knows what it may ask for, and not who carries it',
    ),
    promises: true,
  },
  {
    ...pure(
      'app/tray/window',
      [...VIEW, ...TRAY],
      'the page runs in a browser: no Node, and nothing but what the view says',
    ),
    packages: ['preact', 'uplot'],
    ambient: true,
    promises: true,
  },
  world('app/tray/main', {
    code: [
      ...VIEW,
      ...TRAY,
      'app/first-run/set-up.ts',
      'app/first-run/own-server.ts',
      'app/first-run/run-command.ts',
      'app/first-run/login-entry.ts',
    ],
    packages: ['electron'],
    why: 'the tray knows nothing that the CLI cannot print',
  }),
  ...LABORATORY_LAYERS,

  world('test/model', {
    code: ['shared/model', 'shared/util'],
    why: 'a model of the protocol stands apart from the code',
  }),
  world('test', { code: ANY, packages: ANY, why: 'tests see everything' }),
  world('build/ui.mjs', {
    code: ['build/node-path.mjs'],
    packages: ['vite'],
    why: 'it bundles what it is given, and knows nothing of it',
  }),
  world('build/bundle.mjs', {
    code: ['build', 'shared/system/bundle.ts'],
    packages: ['rolldown'],
    why: 'it bundles the programs, and asks what they ask about a bundle',
  }),
  world('build/icons.mjs', {
    code: ['app/tray/view', 'build/node-path.mjs'],
    packages: ['@resvg/resvg-wasm'],
    why: 'it draws the shapes that the page draws, too',
  }),
  world('build', {
    code: ['build/ui.mjs'],
    why: 'set-up runs before anything is installed',
  }),
  world('build/grammar', {
    code: [],
    packages: [
      'remark-parse',
      'remark-retext',
      'retext-english',
      'retext-indefinite-article',
      'retext-repeated-words',
      'unified',
    ],
    why: 'the grammar check runs on what is installed',
  }),
  world('build/grammar.mjs', {
    code: ['build/grammar', 'build/node-path.mjs'],
    why: 'it is started by the checks, when everything is installed',
  }),
  world('build/docs', {
    code: ANY,
    packages: ANY,
    why: 'the reference is made of what the programs say of themselves',
  }),
  world('build/docs.mjs', {
    code: ['build/docs', 'build/node-path.mjs'],
    packages: ['prettier'],
    why: 'it writes the pages that the house tests hold against the programs',
  }),
];

/** What a test beside the code may import on top of what the code may. */
export const TEST_EXTRAS = {
  code: ['test/support', 'test/conformance', 'test/model', 'app/lab/simulator'],
  packages: ['@jest/globals', 'fast-check'],
};

/** Entry points: what none of them reaches is dead. */
export const ENTRIES = [
  'daemon/main.ts',
  'server/main.ts',
  'app/cli/main.ts',
  'app/tray/main/main.ts',
  'app/tray/main/preload.ts',
  'app/tray/window/main.tsx',
  // Started as a thread, by its address.
  'app/lab/simulator/hunt/worker.ts',
  'app/lab/replay/real/cell-worker.ts',
  'app/lab/bench/studies/study-worker.ts',
];

/** The top folders of the product; production code lives nowhere else. */
export const PRODUCT = ['shared', 'daemon', 'server', 'app'];

/** The daemon and the server have the same rooms. `others`: rooms of adapters that have rows of their own. */
function program(name, others = []) {
  const nouns = ['shared/model', 'shared/util', 'shared/wire', `${name}/limits.ts`];
  return [
    pure(
      `${name}/limits.ts`,
      ['shared/model'],
      'the named limits of the program, for all its rooms',
    ),
    // A core answers calls of ports and says how it is, so it may know their shapes; it calls none of them.
    { ...pure(`${name}/core`, nouns, PURE), types: ['shared/ports', 'shared/control'] },
    {
      ...pure(
        `${name}/runtime`,
        [`${name}/core`, 'shared/ports', 'shared/concurrency', ...nouns],
        PORTED,
      ),
      types: ['shared/control'],
      promises: true,
    },
    world(`${name}/adapters`, {
      code: [
        ...others,
        'shared/ports',
        'shared/model',
        'shared/util',
        'shared/concurrency',
        'shared/control',
        'shared/page',
        'shared/group',
        'shared/sqlite',
        'shared/logging',
        // Small files of their own are written one way.
        'shared/system/durable-file.ts',
        // Adapters turn the errors of the world into coded ones, and make their folders, private ones.
        'shared/wire/error-codes.ts',
        'shared/system/make-folder.ts',
        'shared/system/private-folder.ts',
        'shared/system/node-http.ts',
        `${name}/limits.ts`,
      ],
      types: ['shared/wire'],
      packages: ANY,
      why: ROOM,
    }),
    {
      ...world(name, {
        code: [
          ...others,
          `${name}/core`,
          `${name}/runtime`,
          `${name}/adapters`,
          `${name}/maintenance`,
          `${name}/limits.ts`,
          'shared/util',
          'shared/model',
          'shared/wire',
          'shared/ports',
          'shared/control',
          'shared/page',
          'shared/sqlite',
          'shared/system',
          'shared/logging',
          'shared/metrics',
          'shared/transport',
        ],
        packages: ANY,
        why: 'main.ts and the files beside it put core, runtime and adapters together',
      }),
      direct: true,
    },
  ];
}

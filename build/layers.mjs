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
 */
export const ANY = '*';

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
        'shared/system/user-folders.ts',
      ],
      'the tray and the CLI see this and not the daemon; errors keep their codes on the way',
    ),
    // The client offers the file-system port to programs.
    types: ['shared/ports', 'shared/trace'],
    packages: ['zod', 'ws'],
    node: ANY,
    ambient: true,
    promises: true,
  },
  {
    ...pure(
      'shared/trace',
      // A line that is none is told with a code.
      ['shared/model', 'shared/util', 'shared/wire/error-codes.ts'],
      'traces are read without the product',
    ),
    packages: ['zod', 'csv-parse'],
    node: ANY,
    ambient: true,
    promises: true,
  },
  world('shared/transport', {
    code: ['shared/ports', 'shared/wire', 'shared/util', 'shared/model'],
    why: 'it carries bytes for both programs and knows neither',
  }),
  world('shared/link', {
    // The relay is a thread of the addon, and that has one door.
    code: ['shared/util', 'shared/transport/binding.ts'],
    why: 'the link shaper stands between programs and knows no word of the product',
  }),

  world('shared/sqlite', {
    // A database is for its user alone.
    code: ['shared/wire', 'shared/system/private-folder.ts', 'shared/system/make-folder.ts'],
    packages: ['better-sqlite3'],
    why: 'both programs open a database the same way; what is in it is theirs',
  }),

  world('shared/system', {
    // What a disk says to a start is told with a code.
    code: ['shared/ports', 'shared/model', 'shared/wire/error-codes.ts'],
    why: 'the clock, timers, randomness and disks of this machine, the same for both programs',
  }),

  world('shared/group', {
    code: [
      'shared/control/groups.ts',
      'shared/model',
      'shared/ports',
      'shared/wire/error-codes.ts',
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

  world('shared/metrics', {
    code: [
      'shared/ports',
      'shared/model',
      'shared/wire/error-codes.ts',
      // How much room a disk has.
      'shared/system/free-disk.ts',
    ],
    packages: ['prom-client'],
    why: 'both programs tell figures the same way; which ones is theirs',
  }),

  ...program('daemon'),
  ...program('server'),
  world('server/maintenance', {
    code: [
      'server/adapters',
      'server/data-folder.ts',
      'server/identity-file.ts',
      'server/limits.ts',
      'shared/control/addresses.ts',
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
      'shared/trace',
      'shared/link',
      'shared/util',
      'shared/logging',
      'shared/group',
      // Replays and experiments, in either world; the real one is here, where processes are started.
      'app/replay',
      'app/replay/simulated',
      'shared/metrics',
      // Exit codes and remedies come from the one table of errors.
      'shared/wire/error-codes.ts',
      'shared/ports',
      // `godwit server` runs in the foreground; `godwit doctor` tries whether the addon loads, by which `godwit up` makes its files durable.
      'server/main.ts',
      'server/maintenance/administration.ts',
      'shared/transport/native-host.ts',
      // `godwit bench delay` measures the link itself, between two ends of its own.
      'shared/transport/msquic-link.ts',
      'shared/transport/identity.ts',
      // `godwit doctor` looks at the databases of a daemon, beside it.
      'shared/sqlite',
      // Who can't start says what its disk has said, and which one is full.
      'shared/system/disk-error.ts',
      'shared/system/free-disk.ts',
      'shared/system/make-folder.ts',
      // Where data lie when nobody says so.
      'shared/system/user-folders.ts',
    ],
    // What the commands of an administrator print.
    types: ['server/maintenance'],
    packages: ANY,
    why: 'the CLI knows what the control API says, and starts the programs by their main.ts',
  }),
  pure(
    'app/tray/view',
    // Clock texts have the reader's own time of day.
    ['app/tray/view/clock.ts', ...TRAY],
    'what the tray and its page say follows from what the daemon told, and is tested without either',
  ),
  {
    ...pure('app/tray/view/clock.ts', [], 'the one place that knows where the reader is'),
    ambient: true,
  },
  {
    ...pure(
      'app/tray/view/api.ts',
      TRAY,
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
    code: [...VIEW, ...TRAY],
    packages: ['electron'],
    why: 'the tray knows nothing that the CLI cannot print',
  }),
  world('app/replay', {
    code: [
      'shared/group',
      // What waits in a queue is told as `godwit queue` has it.
      'shared/control/queue.ts',
      'shared/trace',
      'shared/link',
      'shared/metrics',
      'shared/model',
      'shared/ports',
      'shared/util',
      'shared/wire/error-codes.ts',
    ],
    packages: [],
    why: 'a replay knows laptops by their file-system port; which worlds there are is of who runs it',
  }),
  world('app/replay/simulated', {
    code: [
      'shared/group',
      'app/replay',
      'app/sim',
      'shared/control/all-of-queue.ts',
      'shared/metrics',
      'shared/model',
      'shared/ports',
      'shared/trace',
      'shared/wire/error-codes.ts',
    ],
    packages: [],
    why: 'one of the worlds of a replay is the simulated one',
  }),
  {
    ...pure(
      'app/sim',
      [
        'app/sim/clock/drain.ts',
        'app/sim/clock/line-digest.ts',
        'app/sim/disk/content-digest.ts',
        'shared/logging/log-fields.ts',
        ...simulated(),
      ],
      'everything but transport and adapters, so a seed repeats a run',
    ),
    packages: ['zod'],
    promises: true,
  },
  world('app/sim/clock/drain.ts', {
    code: [],
    why: 'the one place where a simulated world waits for the engine to run its promises',
  }),
  world('app/sim/clock/line-digest.ts', {
    code: [],
    why: 'a trace is hashed by Node: it is what a run does most, and the digest stays in this process',
  }),
  world('app/sim/disk/content-digest.ts', {
    code: ['shared/model'],
    why: 'contents are hashed by Node: simulated machines only have to agree',
  }),
  world('app/sim/main.ts', {
    code: ['app/sim', 'app/sim/hunt', ...simulated()],
    packages: ANY,
    why: 'the door of the simulator: arguments in, report out',
  }),
  world('app/sim/hunt', {
    // Failures are kept in a folder that a person names.
    code: [
      'app/sim',
      'shared/system/make-folder.ts',
      'shared/system/user-folders.ts',
      ...simulated(),
    ],
    packages: ANY,
    why: 'what runs worlds, on threads and from files, is in none of them',
  }),

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
  world('build/icons.mjs', {
    code: ['app/tray/view', 'build/node-path.mjs'],
    packages: ['@resvg/resvg-wasm'],
    why: 'it draws the shapes that the page draws, too',
  }),
  world('build', {
    code: ['build/ui.mjs'],
    why: 'set-up runs before anything is installed',
  }),
  world('build/docs', {
    code: ANY,
    packages: ANY,
    why: 'the reference is made of what the programs say of themselves',
  }),
  world('build/docs.mjs', {
    code: ['build/docs', 'build/node-path.mjs'],
    why: 'it writes the pages that the house tests hold against the programs',
  }),
  world('build/coverage', {
    code: [],
    packages: ['acorn', 'ast-v8-to-istanbul'],
    why: 'what V8 counted is told of the source, whatever the source is',
  }),
  world('build/sim-coverage.mjs', {
    code: ['app/sim', 'build/coverage', 'build/node-path.mjs', 'build/sim-mixes.mjs'],
    why: 'it runs the simulator in its own process, where V8 counts',
  }),
  world('build/sim-mixes.mjs', {
    code: ['app/sim', 'shared/util'],
    why: 'what it mixes is the simulator’s, drawn as the simulator draws',
  }),
];

/** What a test beside the code may import on top of what the code may. */
export const TEST_EXTRAS = {
  code: ['test/support', 'test/conformance', 'test/model', 'app/sim'],
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
  'app/sim/main.ts',
  // Started as a thread, by its address.
  'app/sim/hunt/worker.ts',
  'app/cli/replay/cell-worker.ts',
];

/** The top folders of the product; production code lives nowhere else. */
export const PRODUCT = ['shared', 'daemon', 'server', 'app'];

function pure(path, code, why) {
  return {
    path,
    direct: false,
    code,
    types: [],
    packages: [],
    node: [],
    why,
    ambient: false,
    promises: false,
  };
}

function world(path, row) {
  return {
    path,
    direct: false,
    types: [],
    packages: [],
    node: ANY,
    ambient: true,
    promises: true,
    ...row,
  };
}

/** The daemon and the server have the same rooms. */
function program(name) {
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
        'shared/ports',
        'shared/model',
        'shared/util',
        'shared/concurrency',
        'shared/control',
        'shared/group',
        'shared/sqlite',
        'shared/logging',
        // What a front end does is told as a record of a trace.
        'shared/trace/record.ts',
        // Small files of their own are written one way.
        'shared/system/durable-file.ts',
        // Adapters turn the errors of the world into coded ones, and make their folders, private ones.
        'shared/wire/error-codes.ts',
        'shared/system/make-folder.ts',
        'shared/system/private-folder.ts',
        `${name}/limits.ts`,
      ],
      types: ['shared/wire'],
      packages: ANY,
      why: ROOM,
    }),
    {
      ...world(name, {
        code: [
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

function simulated() {
  return [
    ...['util', 'model', 'wire', 'ports', 'trace', 'control', 'link'].map(
      (room) => `shared/${room}`,
    ),
    ...['daemon', 'server'].flatMap((name) => [
      `${name}/core`,
      `${name}/runtime`,
      `${name}/limits.ts`,
    ]),
  ];
}

/** The rows of the laboratory (app/lab) in build/layers.mjs: what measures, simulates and replays the product. */
import { ANY, pure, world } from './layer-rows.mjs';

/** What a replay knows of laptops. */
const FILES = ['shared/group', 'shared/metrics', 'shared/model', 'shared/ports'];
const ERRORS = 'shared/wire/error-codes.ts';

export const LABORATORY_LAYERS = [
  experiment('app/lab', 'experiments and their commands see the product as a person does'),
  {
    ...pure(
      'app/lab/trace',
      // An invalid line is an error with a code; a workload of lookups is that of the study of names.
      ['shared/model', 'shared/util', 'app/lab/caches', ERRORS],
      'traces are read without the product',
    ),
    packages: ['zod', 'csv-parse'],
    node: ANY,
    ambient: true,
    promises: true,
  },
  experiment('app/lab/trace/cli', 'traces that a person names'),
  pure(
    'app/lab/caches',
    ['shared/util'],
    'caches of the papers, which know no word of the product',
  ),
  world('app/lab/trace/recorder', {
    code: ['app/lab/trace', 'shared/model', 'shared/ports', 'shared/control', ERRORS],
    packages: [],
    why: 'a recorder stands between the daemon and its front ends, and knows their ports',
  }),
  world('app/lab/shaper', {
    // The relay is a thread of the addon, and that has one door.
    code: ['shared/util', 'shared/transport/binding.ts'],
    why: 'the link shaper stands between programs and knows no word of the product',
  }),
  experiment('app/lab/shaper/cli', 'links that a person shapes'),
  world('app/lab/replay', {
    code: [
      ...FILES,
      // Waiting updates are printed as `godwit queue` prints them.
      'shared/control/queue.ts',
      'app/lab/trace',
      'app/lab/shaper',
      'shared/util',
      ERRORS,
    ],
    packages: [],
    why: 'a replay knows laptops by their file-system port; which worlds there are is of who runs it',
  }),
  experiment(
    'app/lab/replay/real',
    'one of the worlds of a replay is this machine, with processes',
  ),
  world('app/lab/replay/simulated', {
    code: [
      ...FILES,
      'app/lab/replay',
      'app/lab/simulator',
      'shared/control/all-of-queue.ts',
      'app/lab/trace',
      ERRORS,
    ],
    packages: [],
    why: 'one of the worlds of a replay is the simulated one',
  }),
  {
    ...pure(
      'app/lab/simulator',
      [
        'app/lab/simulator/clock/drain.ts',
        'app/lab/simulator/clock/line-digest.ts',
        'app/lab/simulator/disk/content-digest.ts',
        'shared/logging/log-fields.ts',
        // What a server does once a day, over ports.
        'server/maintenance/collect/collect-contents.ts',
        ...simulated(),
      ],
      'everything but transport and adapters, so a seed repeats a run',
    ),
    packages: ['zod'],
    promises: true,
  },
  world('app/lab/simulator/clock/drain.ts', {
    code: [],
    why: 'the one place where a simulated world waits for the engine to run its promises',
  }),
  world('app/lab/simulator/clock/line-digest.ts', {
    code: [],
    why: 'a trace is hashed by Node: it is what a run does most, and the digest stays in this process',
  }),
  world('app/lab/simulator/disk/content-digest.ts', {
    code: ['shared/model'],
    why: 'contents are hashed by Node: simulated machines only have to agree',
  }),
  {
    ...pure(
      'app/lab/simulator/posix',
      [
        'app/lab/simulator/clock/virtual-time.ts',
        'app/lab/simulator/disk/content-digest.ts',
        'app/lab/simulator/disk/troubles.ts',
        'shared/util',
        'shared/ports',
      ],
      'a kernel with its disks, and no word of the product but the ports that it fulfils',
    ),
    // What the folder asks of a disk.
    types: ['daemon/adapters/folder/disk'],
    promises: true,
  },
  world('app/lab/simulator/posix/real-program-calls.ts', {
    code: ['app/lab/simulator/posix', 'shared/ports'],
    packages: [],
    why: 'the programs of a simulated world on the disk of this machine',
  }),
  {
    ...pure(
      'app/lab/simulator/folder',
      [
        'app/lab/simulator',
        'app/lab/simulator/disk/content-digest.ts',
        'app/lab/simulator/posix',
        'daemon/adapters/folder',
        'daemon/adapters/folder/folder-front-end.ts',
        'daemon/adapters/folder/disk',
        'daemon/adapters/folder/records',
        'daemon/adapters/mounted',
        ...simulated(),
      ],
      'the folder engine of laptops on simulated disks, with the programs and people there',
    ),
    promises: true,
  },
  world('app/lab/simulator/main.ts', {
    code: ['app/lab/simulator', 'app/lab/simulator/hunt', ...simulated()],
    packages: ANY,
    why: 'the door of the simulator: arguments in, report out',
  }),
  world('app/lab/simulator/hunt', {
    // Failures are kept in a folder that a person names; what goes on is shown as other commands show it.
    code: [
      'app/lab/simulator',
      'app/lab/simulator/folder',
      'app/cli/live-line.ts',
      'shared/system/make-folder.ts',
      'shared/system/user-folders.ts',
      ...simulated(),
    ],
    packages: ANY,
    why: 'what runs worlds, on threads and from files, is in none of them',
  }),
];

/** What runs the programs as a person does, and speaks with the CLI's words. */
function experiment(path, why) {
  const rooms = [
    'app/lab',
    ...['caches', 'replay', 'shaper', 'trace'].map((room) => `app/lab/${room}`),
  ];
  return world(path, {
    code: [
      ...rooms,
      ...['replay/real', 'replay/simulated', 'shaper/cli', 'trace/cli'].map(
        (room) => `app/lab/${room}`,
      ),
      ...['app/lab/simulator/main.ts', 'app/lab/trace/recorder/recorder.ts'],
      'app/cli',
      ...FILES,
      'shared/control',
      'shared/util',
      ERRORS,
      // `godwit bench delay` measures the link itself, between two ends of its own.
      'shared/transport/msquic-transport.ts',
      'shared/transport/identity.ts',
    ],
    packages: ANY,
    why,
  });
}

function simulated() {
  return [
    ...['util', 'model', 'wire', 'ports', 'control'].map((room) => `shared/${room}`),
    ...['daemon', 'server'].flatMap((name) => [
      `${name}/core`,
      `${name}/runtime`,
      `${name}/limits.ts`,
    ]),
  ];
}

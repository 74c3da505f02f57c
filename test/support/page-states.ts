/** The states in which people see the page, each made of what a daemon tells: for the tests that look at all of them. */
import type { Fid } from '../../shared/model/fid.ts';
import type { QueueEntry } from '../../shared/control/queue.ts';
import type { ErrorStatus, RecentFile, StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { PageBench } from './page-bench.ts';

const MINUTE_MS = 60_000;
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const RECENT: readonly RecentFile[] = [
  { volume: 'home', path: 'letters/draft.txt', how: 'received', when: ago(2) },
  { volume: 'home', path: 'Photos/coast 4.jpg', how: 'sent', when: ago(14) },
  { volume: 'home', path: 'thesis/chapter-2.tex', how: 'sent', when: ago(190) },
  { volume: 'home', path: 'the-long-flight.mp4', how: 'sent', when: ago(5000) },
];

const AT_HOME: Partial<StatusSnapshot> = {
  server: { address: 'files.example.org:4433', fingerprint: 'f'.repeat(64) },
  device: { id: 1, name: 'laptop-a', user: 'ann' },
  cache: { files: 1594, bytes: 18_200_000 },
  link: { rttMs: 52, sentBytes: 0, receivedBytes: 0 },
  recent: RECENT,
};

export const REFUSED: ErrorStatus = {
  code: 'sync-blocked',
  message:
    "it can not be put in place: EPERM: operation not permitted, setxattr '/proc/self/fd/50'",
  remedy: 'see `godwit status` for what it is',
  path: 'thesis/note.txt',
};

export const HELD: ErrorStatus = {
  code: 'removals-held',
  message: '60 of 140 files are missing from the folder',
  remedy: '`godwit confirm` if they are meant to be gone, `godwit reject` to have them back',
  path: null,
};

const CONFLICT = {
  ...{ id: 1, when: ago(30), volume: 'home', kind: 'contents' },
  ...{ path: 'letters/draft.txt', copy: 'letters/draft (conflict of laptop-a).txt' },
};

/** An update of the queue that is on its way, or waits. */
export function queued(number: number, path: string, bytes: number, sentBytes = 0): QueueEntry {
  return {
    ...{ number, volume: 'home', path, kind: 'store', priorityClass: 'STORE_DATA' },
    ...{ bytes, sentBytes, state: sentBytes > 0 ? 'on its way' : 'ready', turn: null },
    ...{ waitsFor: [], reason: null, until: null, seconds: 70 },
  };
}

/** What a daemon tells while it sends a film and two photos. */
function busy({ daemon }: PageBench): Partial<StatusSnapshot> {
  const entries = [
    queued(1, 'the-long-flight.mp4', 16_800_000, 6_100_000),
    queued(2, 'Photos/coast 5.jpg', 900_000),
    queued(3, 'Photos/coast 6.jpg', 900_000),
  ];
  daemon.queued = { total: entries.length, entries, why: null };
  const { queues } = daemon.snapshot();
  const estimate = { bytesPerSecond: 250_000, seconds: 70, why: null };
  const counts = { updates: 3, inFlight: 1, bytes: 18_600_000, sentBytes: 6_100_000 };
  const classes = {} as NonNullable<StatusSnapshot['link']['rates']>['classes'];
  const rates = { up: 250_000, down: 3000, classes };
  return {
    state: 'syncing',
    queues: { ...queues, data: { ...queues.data, ...counts, estimate } },
    link: { rttMs: 52, sentBytes: 0, receivedBytes: 0, ...{ rates: withClasses(rates) } },
  };
}

function withClasses(rates: NonNullable<StatusSnapshot['link']['rates']>) {
  const names = ['VALIDATE', 'FETCH', 'STORE_ATTR', 'STORE_FAST', 'STORE_DATA', 'PREFETCH'];
  const classes = Object.fromEntries(
    names.map((name) => [name, { up: name === 'STORE_DATA' ? 250_000 : 0, down: 0 }]),
  );
  return { ...rates, classes: classes as typeof rates.classes };
}

async function files({ daemon }: PageBench): Promise<void> {
  const { fileSystem } = daemon;
  const [volume] = await fileSystem.volumes();
  const root = volume?.root as Fid;
  const under = new Map<string, Fid>();
  for (const name of ['letters', 'Photos', 'thesis']) {
    under.set(name, (await fileSystem.mkdir(root, name, { mode: 0o755 })).fid);
  }
  const make = async (dir: Fid, names: readonly string[]): Promise<void> => {
    for (const name of names) await fileSystem.create(dir, name, { mode: 0o644 });
  };
  await make(root, ['README.md', 'budget.ods', 'the-long-flight.mp4', 'scan.pdf', 'old.zip']);
  await make(under.get('letters') as Fid, ['draft.txt', 'draft (conflict of laptop-a).txt']);
}

export const STATES = {
  idle: () => ({}),
  empty: () => ({ recent: [], cache: { files: 0, bytes: 0 } }),
  busy,
  paused: (bench: PageBench) => ({ ...busy(bench), state: 'paused', paused: true }) as const,
  'offline with a conflict': () =>
    ({
      ...{ state: 'conflict', connected: false, offlineSince: ago(47) },
      conflicts: [CONFLICT],
    }) as const,
  error: () => ({ state: 'error', errors: [HELD, REFUSED], conflicts: [CONFLICT] }) as const,
} satisfies Record<string, (bench: PageBench) => Partial<StatusSnapshot>>;

export type PageState = keyof typeof STATES;

/** Puts the daemon of a bench into a state; its volume has some files. */
export async function enter(bench: PageBench, state: PageState): Promise<void> {
  await files(bench);
  bench.daemon.versions = {
    ...{ path: '/letters/draft.txt', removed: null },
    versions: [
      { number: 41, when: Date.now() - 2 * MINUTE_MS, by: 'laptop-b', ...SIZE, present: true },
      { number: 30, when: Date.now() - 90 * MINUTE_MS, by: 'laptop-a', ...SIZE, present: false },
      { number: 12, when: Date.now() - 9000 * MINUTE_MS, by: null, ...SIZE, present: false },
    ],
  };
  bench.daemon.removed = {
    path: '/',
    removed: [
      {
        path: '/project',
        kind: 'directory',
        size: 0,
        when: Date.now() - MINUTE_MS,
        by: 'laptop-b',
      },
      { path: '/old plan.txt', kind: 'file', size: 812, when: Date.now() - 9e8, by: 'laptop-a' },
    ],
  };
  bench.daemon.become({ ...AT_HOME, ...STATES[state](bench) });
}

const SIZE = { size: 2410, kept: true };

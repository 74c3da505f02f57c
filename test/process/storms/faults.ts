/** What goes wrong in a storm, each from a moment on until some programs later. */
import { watch } from 'node:fs';
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { Gate } from './gate.ts';
import { FILLER, type Stage, type StormLaptop } from './stage.ts';

/** What a fault can do and wait for. */
export interface FaultBench {
  readonly stage: Stage;
  readonly laptop: StormLaptop;
  readonly gate: Gate;
  readonly random: SeededRandom;
  readonly note: (line: string) => void;
  /** Resolves when so many more programs have ended, or all, or when none can go on before a disk is back. */
  readonly ended: (programs: number) => Promise<void>;
  /** All programs have ended. */
  readonly over: Promise<void>;
}

interface Fault {
  /** It is one of the laptop's disks, so that has to be a disk of its own. */
  readonly disk?: 'inner' | 'outer';
  readonly run: (bench: FaultBench) => Promise<void>;
}

/** The most writes of a daemon to its databases before it is killed. */
const MOST_WRITES = 40;
const MOST_KILLS = 4;

async function killed({ stage, laptop, random, note, over }: FaultBench): Promise<void> {
  await someWrites(laptop.data, random.between(1, MOST_WRITES), over);
  note(`${laptop.name}: kill -9 of the daemon`);
  await stage.killDaemon(laptop);
}

async function started({ stage, laptop, note }: FaultBench): Promise<void> {
  note(`${laptop.name}: up`);
  await stage.up(laptop);
}

/** Resolves after so many writes to the databases of a program, or when no program works any more. */
async function someWrites(data: string, count: number, over: Promise<void>): Promise<void> {
  const watcher = watch(data);
  try {
    await Promise.race([
      over,
      new Promise<void>((resolve) => {
        let left = count;
        watcher.on('change', (_, name) => {
          if (/\.db(-wal)?$/.test(String(name)) && --left <= 0) resolve();
        });
      }),
    ]);
  } finally {
    watcher.close();
  }
}

/** Nobody is on the disk while `during` runs. */
async function alone({ gate }: FaultBench, during: () => Promise<void>): Promise<void> {
  const open = await gate.close();
  try {
    await during();
  } finally {
    open();
  }
}

async function unmounted(bench: FaultBench, during: () => Promise<void>): Promise<void> {
  const { laptop, note } = bench;
  const isGone = laptop.inner.unmount();
  note(`${laptop.name}: the disk in the folder is ${isGone ? 'unmounted' : 'in use, and stays'}`);
  try {
    await during();
  } finally {
    laptop.inner.mount();
    note(`${laptop.name}: the disk in the folder is mounted`);
  }
}

async function filled(bench: FaultBench, which: 'inner' | 'outer'): Promise<void> {
  const { laptop, random, note } = bench;
  await bench.ended(random.below(2));
  note(`${laptop.name}: the ${which} disk is full`);
  await laptop[which].fill(FILLER);
  try {
    await bench.ended(random.between(1, 3));
  } finally {
    laptop[which].empty(FILLER);
    note(`${laptop.name}: the ${which} disk has room`);
  }
}

/** By name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  kill: {
    run: async (bench) => {
      await killed(bench);
      await bench.ended(bench.random.below(3));
      await started(bench);
    },
  },
  kills: {
    run: async (bench) => {
      for (let left = bench.random.between(2, MOST_KILLS); left > 0; left--) {
        await killed(bench);
        await started(bench);
      }
    },
  },
  server: {
    run: async ({ stage, random, note, ended, over }) => {
      await someWrites(stage.server.data, random.between(1, MOST_WRITES), over);
      note('kill -9 of the server');
      await stage.killServer();
      await ended(random.below(3));
      note('the server is started');
      await stage.serveAgain();
    },
  },
  cut: {
    run: async ({ stage, laptop, random, note, ended, over }) => {
      await someWrites(stage.server.data, random.between(1, MOST_WRITES), over);
      note(`${laptop.name}: the line is cut`);
      laptop.relay.cut();
      await ended(random.between(1, 3));
      note(`${laptop.name}: the line is mended`);
      laptop.relay.restore();
    },
  },
  unmount: {
    disk: 'inner',
    run: async (bench) => {
      await bench.ended(bench.random.below(2));
      await alone(bench, () => unmounted(bench, () => bench.ended(bench.random.between(0, 2))));
    },
  },
  'unmount-and-kill': {
    disk: 'inner',
    run: async (bench) => {
      await killed(bench);
      await alone(bench, async () => {
        await unmounted(bench, async () => {
          await started(bench);
          await bench.ended(bench.random.between(0, 2));
        });
      });
    },
  },
  'read-only': {
    disk: 'inner',
    run: async ({ laptop, random, note, ended }) => {
      await ended(random.below(2));
      const isSet = laptop.inner.setReadOnly(true);
      note(
        `${laptop.name}: the disk in the folder is ${isSet ? 'read-only' : 'in use, and stays'}`,
      );
      try {
        await ended(random.between(1, 3));
      } finally {
        if (isSet) laptop.inner.setReadOnly(false);
        note(`${laptop.name}: the disk in the folder is written again`);
      }
    },
  },
  'full-inner': { disk: 'inner', run: (bench) => filled(bench, 'inner') },
  'full-outer': { disk: 'outer', run: (bench) => filled(bench, 'outer') },
};

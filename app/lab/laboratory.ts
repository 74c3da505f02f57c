/** What the CLI takes from the laboratory, where that is installed. Each command is loaded when it is asked for. */
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Cli } from '../cli/cli.ts';
import type { suggestFrom as Suggest } from './trace/cli/suggest-from-trace.ts';

type Load = (cli: Cli) => Promise<Command>;

const EXPERIMENTS: Readonly<Record<string, Load>> = {
  replay: async (cli) => (await import('./commands/replay.ts')).replayCommand(cli),
  trace: async (cli) => (await import('./commands/trace.ts')).traceCommand(cli),
  link: async (cli) => (await import('./commands/link.ts')).linkCommand(cli),
  bench: async (cli) => (await import('./commands/bench.ts')).benchCommand(cli),
  demo: async (cli) => (await import('./commands/demo.ts')).demoCommand(cli),
  sim: async (cli) => (await import('./commands/sim.ts')).simCommand(cli),
};

export const COMMANDS: Readonly<Record<string, Load>> = {
  lab: async (cli) => {
    const { labCommand } = await import('./commands/lab.ts');
    return labCommand(cli, await Promise.all(Object.values(EXPERIMENTS).map((load) => load(cli))));
  },
  ...EXPERIMENTS,
};

/** The module with which a daemon records (`godwit trace record`). */
export const RECORDER = fileURLToPath(new URL('./trace/recorder/recorder.ts', import.meta.url));

/** For `godwit group suggest --trace`. */
export const suggestFrom: typeof Suggest = async (file, where) =>
  (await import('./trace/cli/suggest-from-trace.ts')).suggestFrom(file, where);

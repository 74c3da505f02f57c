/** The tree of commands: what `godwit help` shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CACHE_ACTS, type CacheAct } from '../../shared/model/cache.ts';
import type { Cli } from './cli.ts';
import { laboratory, missingCommands } from './laboratory.ts';
import { PROGRAM_ROOT } from './folders.ts';

type Load = (cli: Cli) => Promise<Command>;

const cacheAct =
  (act: CacheAct): Load =>
  async (cli) =>
    (await import('./commands/cache.ts')).cacheCommand(cli, act);

/** By heading, then by name. Each is loaded when it is asked for: most need little of the product, and start in a third of the time. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'To begin with:': {
    here: async (cli) => (await import('./commands/here.ts')).hereCommand(cli),
    server: async (cli) => (await import('./commands/server.ts')).serverCommand(cli),
    up: async (cli) => (await import('./commands/up.ts')).upCommand(cli),
    status: async (cli) => (await import('./commands/status.ts')).statusCommand(cli),
    conflicts: async (cli) => (await import('./commands/conflicts.ts')).conflictsCommand(cli),
  },
  'A synced folder:': {
    down: async (cli) => (await import('./commands/down.ts')).downCommand(cli),
    flush: async (cli) => (await import('./commands/flush.ts')).flushCommand(cli),
    tray: async (cli) => (await import('./commands/tray.ts')).trayCommand(cli),
    ui: async (cli) => (await import('./commands/ui.ts')).uiCommand(cli),
    open: async (cli) => (await import('./commands/open.ts')).openCommand(cli),
    pause: async (cli) => (await import('./commands/pause.ts')).pauseCommand(cli),
    resume: async (cli) => (await import('./commands/resume.ts')).resumeCommand(cli),
    queue: async (cli) => (await import('./commands/queue.ts')).queueCommand(cli),
    writeback: async (cli) => (await import('./commands/writeback.ts')).writebackCommand(cli),
    sharing: async (cli) => (await import('./commands/sharing.ts')).sharingCommand(cli),
    network: async (cli) => (await import('./commands/network.ts')).networkCommand(cli),
    config: async (cli) => (await import('./commands/config.ts')).configCommand(cli),
    confirm: async (cli) => (await import('./commands/removals.ts')).confirmCommand(cli),
    reject: async (cli) => (await import('./commands/removals.ts')).rejectCommand(cli),
    undo: async (cli) => (await import('./commands/past.ts')).undoCommand(cli),
    versions: async (cli) => (await import('./commands/past.ts')).versionsCommand(cli),
    restore: async (cli) => (await import('./commands/past.ts')).restoreCommand(cli),
  },
  'What is here of a volume:': {
    cache: async (cli) => (await import('./commands/cache-use.ts')).cacheUseCommand(cli),
    ...Object.fromEntries(CACHE_ACTS.map((act) => [act, cacheAct(act)])),
    group: async (cli) => (await import('./commands/group.ts')).groupCommand(cli),
  },
  'Files of a volume, without the folder:': {
    ls: async (cli) => (await import('./commands/ls.ts')).lsCommand(cli),
    cat: async (cli) => (await import('./commands/cat.ts')).catCommand(cli),
    put: async (cli) => (await import('./commands/put.ts')).putCommand(cli),
  },
  'To look around and to mend:': {
    doctor: async (cli) => (await import('./commands/doctor.ts')).doctorCommand(cli),
    df: async (cli) => (await import('./commands/df.ts')).diskCommand(cli),
    log: async (cli) => (await import('./commands/log.ts')).logCommand(cli),
    metrics: async (cli) => (await import('./commands/metrics.ts')).metricsCommand(cli),
    completion: async (cli) => (await import('./commands/completion.ts')).completionCommand(cli),
  },
};

const LABORATORY = 'The laboratory (godwit lab --help):';

const ELSEWHERE = '\nBenchmarks, traces and the simulator: install godwit-lab.';

const CLOSING = `
Exit codes: 0 fine, 1 failed, 2 usage, 3 not found, 5 try again, 7 fatal.
Each flag has a twin in the environment: --data is GODWIT_DATA.`;

/** With the command that `args` begin with alone, or with all of them: for help, for its script of completions, and where it is none. */
export async function buildProgram(cli: Cli, args: readonly string[]): Promise<Command> {
  const [first = ''] = args;
  const isWhole = first === 'completion' || !has(COMMANDS, first);
  const lab = isWhole ? await laboratory() : null;
  const labCommands = lab?.COMMANDS ?? missingCommands();
  const all = { ...COMMANDS, [LABORATORY]: labCommands };
  const alone = has(all, first) && first !== 'completion' ? first : null;
  const program = new Command('godwit')
    .description('A synced folder for laptops that roam.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'say what a command does')
    .enablePositionalOptions()
    .addHelpText('after', lab === null ? ELSEWHERE + CLOSING : CLOSING);
  for (const [heading, commands] of Object.entries(all)) {
    const hidden = commands === labCommands && lab === null;
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands)) {
      if (alone === null || name === alone) program.addCommand(await load(cli), { hidden });
    }
  }
  return program;
}

const has = (groups: Readonly<Record<string, object>>, name: string): boolean =>
  Object.values(groups).some((commands) => Object.hasOwn(commands, name));

function programVersion(): string {
  const text = readFileSync(join(PROGRAM_ROOT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

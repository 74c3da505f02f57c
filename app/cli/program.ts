/** The tree of commands: what `godwit help` shows. */
import { Command, Help } from 'commander';
import { CACHE_ACTS, type CacheAct } from '../../shared/model/cache.ts';
import type { Cli } from './cli.ts';
import { addExamples } from './examples.ts';
import { programVersion } from '../../shared/system/program-version.ts';
import { hasLaboratory, laboratory, LABORATORY_NAMES, missingCommands } from './laboratory.ts';

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
    lock: async (cli) => (await import('./commands/locks.ts')).lockCommand(cli),
    unlock: async (cli) => (await import('./commands/locks.ts')).unlockCommand(cli),
    locks: async (cli) => (await import('./commands/locks.ts')).locksCommand(cli),
    access: async (cli) => (await import('./commands/access.ts')).accessCommand(cli),
    team: async (cli) => (await import('./commands/access.ts')).teamCommand(cli),
    share: async (cli) => (await import('./commands/shares.ts')).shareCommand(cli),
    shares: async (cli) => (await import('./commands/shares.ts')).sharesCommand(cli),
    accept: async (cli) => (await import('./commands/shares.ts')).acceptCommand(cli),
    leave: async (cli) => (await import('./commands/shares.ts')).leaveCommand(cli),
    unshare: async (cli) => (await import('./commands/shares.ts')).unshareCommand(cli),
    volume: async (cli) => (await import('./commands/volumes.ts')).volumesCommand(cli),
    network: async (cli) => (await import('./commands/network.ts')).networkCommand(cli),
    use: async (cli) => (await import('./commands/use.ts')).useCommand(cli),
    config: async (cli) => (await import('./commands/config.ts')).configCommand(cli),
    confirm: async (cli) => (await import('./commands/removals.ts')).confirmCommand(cli),
    reject: async (cli) => (await import('./commands/removals.ts')).rejectCommand(cli),
    undo: async (cli) => (await import('./commands/undo.ts')).undoCommand(cli),
    versions: async (cli) => (await import('./commands/past.ts')).versionsCommand(cli),
    snapshots: async (cli) => (await import('./commands/snapshots.ts')).snapshotsCommand(cli),
    restore: async (cli) => (await import('./commands/past.ts')).restoreCommand(cli),
  },
  'What is here of a volume:': {
    cache: async (cli) => (await import('./commands/cache-use.ts')).cacheUseCommand(cli),
    ...Object.fromEntries(CACHE_ACTS.map((act) => [act, cacheAct(act)])),
    exclude: async (cli) => (await import('./commands/exclusions.ts')).excludeCommand(cli),
    include: async (cli) => (await import('./commands/exclusions.ts')).includeCommand(cli),
    excluded: async (cli) => (await import('./commands/exclusions.ts')).excludedCommand(cli),
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
    stats: async (cli) => (await import('./commands/stats.ts')).statsCommand(cli),
    metrics: async (cli) => (await import('./commands/metrics.ts')).metricsCommand(cli),
    completion: async (cli) => (await import('./commands/completion.ts')).completionCommand(cli),
  },
};

/** The heading of what the laboratory brings. */
export const LABORATORY = 'The laboratory (godwit lab --help):';

const ELSEWHERE = '\nBenchmarks, traces and the simulator: install godwit-lab.';

const CLOSING = `
Exit codes: 0 fine, 1 failed, 2 usage, 3 not found, 5 try again, 7 fatal.
Each flag has a twin in the environment: --data is GODWIT_DATA.`;

/** How the page of help is asked for, by one word or none. */
const HELP_PAGE: ReadonlySet<string> = new Set(['', '--help', '-h', 'help']);

/**
 * With the command that `args` begin with, or ask for help of, alone; for the page of help with a line for each; else with all of them:
 * for the script of completions, and where it is none.
 */
export async function buildProgram(cli: Cli, args: readonly string[]): Promise<Command> {
  const [first = '', second = ''] = args;
  if (args.length < 2 && HELP_PAGE.has(first)) return pageOfHelp(cli);
  return loadedProgram(cli, first === 'help' && args.length === 2 ? second : first);
}

/** All commands, for who describes the program; or `first` alone, if it is one. */
export async function loadedProgram(cli: Cli, first = ''): Promise<Command> {
  const isWhole = first === 'completion' || !has(COMMANDS, first);
  const lab = isWhole ? await laboratory() : null;
  const labCommands = lab?.COMMANDS ?? missingCommands();
  const all = { ...COMMANDS, [LABORATORY]: labCommands };
  const alone = has(all, first) && first !== 'completion' ? first : null;
  return programOf(cli, all, alone, lab !== null);
}

/** No command is loaded for it: their lines are kept (`npm run docs`), and a test holds them against the commands. */
async function pageOfHelp(cli: Cli): Promise<Command> {
  const lines = await import('./help-lines.ts');
  const lineOf = (name: string): Load => {
    const [, says] = lines.HELP_LINES[name] ?? ['', ''];
    return () => Promise.resolve(new Command(name).description(says));
  };
  const linesOf = (names: readonly string[]): Record<string, Load> =>
    Object.fromEntries(names.map((name) => [name, lineOf(name)]));
  const groups = Object.entries(COMMANDS).map(([heading, commands]) => [
    heading,
    linesOf(Object.keys(commands)),
  ]);
  const isThere = hasLaboratory();
  const labCommands = isThere ? linesOf(LABORATORY_NAMES) : missingCommands();
  const all = { ...Object.fromEntries(groups), [LABORATORY]: labCommands } as typeof COMMANDS;
  const program = await programOf(cli, all, null, isThere);
  return program.configureHelp({
    subcommandTerm: (command) =>
      lines.HELP_LINES[command.name()]?.[0] ?? Help.prototype.subcommandTerm(command),
  });
}

async function programOf(
  cli: Cli,
  all: typeof COMMANDS,
  alone: string | null,
  hasLab: boolean,
): Promise<Command> {
  const program = new Command('godwit')
    .description('A synced folder for laptops that roam.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'say what a command does')
    .enablePositionalOptions()
    .addHelpText('after', hasLab ? CLOSING : ELSEWHERE + CLOSING);
  for (const [heading, commands] of Object.entries(all)) {
    const hidden = heading === LABORATORY && !hasLab;
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands)) {
      if (alone === null || name === alone) program.addCommand(await load(cli), { hidden });
    }
  }
  addExamples(program);
  return program;
}

const has = (groups: Readonly<Record<string, object>>, name: string): boolean =>
  Object.values(groups).some((commands) => Object.hasOwn(commands, name));

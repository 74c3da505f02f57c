/** The tree of commands: what `godwit help` shows. */
import { Command } from 'commander';
import { CACHE_ACTS } from '../../shared/model/cache.ts';
import type { Cli } from './cli.ts';
import { benchCommand } from './commands/bench.ts';
import { cacheUseCommand } from './commands/cache-use.ts';
import { cacheCommand } from './commands/cache.ts';
import { catCommand } from './commands/cat.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { conflictsCommand } from './commands/conflicts.ts';
import { demoCommand } from './commands/demo.ts';
import { diskCommand } from './commands/df.ts';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { flushCommand } from './commands/flush.ts';
import { groupCommand } from './commands/group.ts';
import { hereCommand } from './commands/here.ts';
import { linkCommand } from './commands/link.ts';
import { logCommand } from './commands/log.ts';
import { lsCommand } from './commands/ls.ts';
import { metricsCommand } from './commands/metrics.ts';
import { networkCommand } from './commands/network.ts';
import { pauseCommand } from './commands/pause.ts';
import { restoreCommand, undoCommand, versionsCommand } from './commands/past.ts';
import { confirmCommand, rejectCommand } from './commands/removals.ts';
import { putCommand } from './commands/put.ts';
import { queueCommand } from './commands/queue.ts';
import { replayCommand } from './commands/replay.ts';
import { resumeCommand } from './commands/resume.ts';
import { serverCommand } from './commands/server.ts';
import { sharingCommand } from './commands/sharing.ts';
import { statusCommand } from './commands/status.ts';
import { traceCommand } from './commands/trace.ts';
import { trayCommand } from './commands/tray.ts';
import { uiCommand } from './commands/ui.ts';
import { upCommand } from './commands/up.ts';
import { writebackCommand } from './commands/writeback.ts';
import { programVersion } from './version.ts';

const CLOSING = `
godwit sim runs server and laptops in a simulated world: godwit sim --help.
Exit codes: 0 fine, 1 failed, 2 usage, 3 not found, 5 try again, 7 fatal.
Each flag has a twin in the environment: --data is GODWIT_DATA.`;

export function buildProgram(cli: Cli): Command {
  const program = new Command('godwit')
    .description('A synced folder for laptops that roam.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'say what a command does')
    .enablePositionalOptions()
    .addHelpText('after', CLOSING);
  program.commandsGroup('A synced folder:');
  program.addCommand(upCommand(cli));
  program.addCommand(downCommand(cli));
  program.addCommand(statusCommand(cli));
  program.addCommand(flushCommand(cli));
  program.addCommand(trayCommand(cli));
  program.addCommand(uiCommand(cli));
  program.addCommand(pauseCommand(cli));
  program.addCommand(resumeCommand(cli));
  program.addCommand(queueCommand(cli));
  program.addCommand(writebackCommand(cli));
  program.addCommand(sharingCommand(cli));
  program.addCommand(networkCommand(cli));
  program.addCommand(configCommand(cli));
  program.addCommand(conflictsCommand(cli));
  program.addCommand(confirmCommand(cli));
  program.addCommand(rejectCommand(cli));
  program.addCommand(undoCommand(cli));
  program.addCommand(versionsCommand(cli));
  program.addCommand(restoreCommand(cli));
  program.commandsGroup('What is here of a volume:');
  program.addCommand(cacheUseCommand(cli));
  for (const act of CACHE_ACTS) program.addCommand(cacheCommand(cli, act));
  program.addCommand(groupCommand(cli));
  program.commandsGroup('Files of a volume, without the folder:');
  program.addCommand(lsCommand(cli));
  program.addCommand(catCommand(cli));
  program.addCommand(putCommand(cli));
  program.commandsGroup('The server:');
  program.addCommand(serverCommand(cli));
  program.commandsGroup('To look around:');
  program.addCommand(hereCommand(cli));
  program.addCommand(demoCommand(cli));
  program.addCommand(benchCommand(cli));
  program.addCommand(linkCommand(cli));
  program.addCommand(traceCommand(cli));
  program.addCommand(replayCommand(cli));
  program.addCommand(doctorCommand(cli));
  program.addCommand(diskCommand(cli));
  program.addCommand(logCommand(cli));
  program.addCommand(metricsCommand(cli));
  program.addCommand(completionCommand(cli));
  return program;
}

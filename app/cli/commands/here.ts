/**
 * `godwit here`, which is what `npm start` runs: a server, a daemon and a synced folder on this machine, until Ctrl-C. The
 * second start goes on with the same data.
 */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ControlClient } from '../../../shared/control/client.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { namingDisk } from '../disk-room.ts';
import { stateFolder } from '../../../shared/control/state-folder.ts';
import { homeFolder } from '../../../shared/system/user-folders.ts';
import { startHere, type Here } from '../here/start-here.ts';
import { aborted } from '../interruption.ts';
import { LiveLine } from '../live-line.ts';
import { statusLine } from '../status-lines.ts';

interface HereFlags {
  readonly folder?: string;
  readonly state?: string;
}

/**
 * Builds `godwit here`, which runs a server, a daemon and a synced folder until Ctrl-C. It throws
 * the error of the server or daemon if one of them ends by itself.
 */
export function hereCommand(cli: Cli): Command {
  const command = cli.plain('here', 'run a server, a daemon and a synced folder on this machine');
  flag(command, '--folder <dir>', 'the synced folder (default: ~/Godwit)');
  flag(command, '--state <dir>', 'where server and daemon keep their data');
  return cli.does<HereFlags>(command, async (context, options) => {
    const interrupted = context.interruption.claim();
    const folder = resolve(options.folder ?? join(homeFolder(), 'Godwit'));
    const state = resolve(options.state ?? join(stateFolder(), 'here'));
    context.note('starting the server and the daemon ...');
    const here = await namingDisk([state, folder], () =>
      startHere(state, folder, interrupted).catch((error: unknown) => {
        if (interrupted.aborted) return null;
        throw error;
      }),
    );
    if (here === null) return;
    try {
      introduce(context, here);
      await Promise.race([
        showState(context, here, interrupted),
        here.failed,
        aborted(interrupted),
      ]);
    } finally {
      if (interrupted.aborted) context.note('ending ...');
      await here.end();
    }
  });
}

function introduce(context: Context, { folder, dataDir, serverDir, listening }: Here): void {
  context.result({ folder, data: dataDir, server: { data: serverDir, listening } }, [
    `Your synced folder: ${folder}`,
    '',
    'Put something into it: it is on the server a moment later. In another terminal, try',
    `  npx godwit status --data ${dataDir}`,
    `  npx godwit ls -l --data ${dataDir}`,
    `  npx godwit flush --wait --data ${dataDir}`,
    'A second laptop on this machine, in its own folder:',
    `  npx godwit server invite --data ${serverDir} | npx godwit up --data ${dataDir}-2 --folder ${folder}-2 --invite -`,
    'Two laptops put to the test: npx godwit demo',
    '',
    'Ctrl-C ends the server and the daemon; your files stay, and the next start goes on with them.',
    '',
  ]);
}

async function showState(context: Context, { dataDir }: Here, signal: AbortSignal): Promise<void> {
  if (context.json || context.quiet) return aborted(signal);
  const line = new LiveLine(context.io.stdout);
  const client = ControlClient.of(dataDir);
  try {
    for await (const status of client.snapshots(signal)) line.show(statusLine(status));
  } finally {
    line.end();
    client.close();
  }
}

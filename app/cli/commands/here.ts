/**
 * `godwit here`, which is what `npm start` runs: a server, a daemon and a synced folder on this machine, until Ctrl-C. The
 * second start goes on with the same data.
 */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readControlFile } from '../../../shared/control/control-file.ts';
import { ControlClient } from '../../../shared/control/client.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { namingDisk } from '../disk-room.ts';
import { stateFolder } from '../../../shared/control/state-folder.ts';
import { homeFolder } from '../../../shared/system/user-folders.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { startHere, type Here } from '../here/start-here.ts';
import { aborted } from '../interruption.ts';
import { LiveLine } from '../live-line.ts';
import { isUsual } from '../paths/choose-daemon.ts';
import { signed } from '../style.ts';
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
      // Below the state, and the ^C of the terminal.
      const below = context.io.stderr.isTTY === true ? '\n' : '';
      if (interrupted.aborted) context.note(`${below}ending ...`);
      await here.end();
      if (interrupted.aborted) {
        context.note(`stopped; your files stay in ${here.folder}`);
        const second = `${here.dataDir}-2`;
        if (readControlFile(second) !== null) {
          context.note(
            `the second laptop goes on: godwit down --data ${shellWord(second)} ends it`,
          );
        }
      }
    }
  });
}

function introduce(context: Context, { folder, dataDir, serverDir, listening }: Here): void {
  // A command finds the only daemon by itself.
  const data = isUsual(dataDir) ? '' : ` --data ${shellWord(dataDir)}`;
  context.result({ folder, data: dataDir, server: { data: serverDir, listening } }, [
    '',
    signed('well', `Your synced folder: ${folder}`, context.colours),
    '  Put something into it: it is on the server a moment later.',
    '',
    'See it, in a browser:',
    `  npx godwit ui${data}`,
    '',
    'In another terminal:',
    `  npx godwit status${data}`,
    `  npx godwit ls -l${data}`,
    `  npx godwit flush --wait${data}`,
    '',
    'A second laptop on this machine, in its own folder:',
    // Each line is one that a terminal may wrap and a shell still takes: it ends where a shell goes on.
    `  npx godwit server invite --data ${shellWord(serverDir)} |`,
    `    npx godwit up --invite - \\`,
    `      --data ${shellWord(`${dataDir}-2`)} \\`,
    `      --folder ${shellWord(`${folder}-2`)}`,
    '',
    'Two laptops put to the test: npx godwit demo',
    'The command `godwit` on your PATH, without npx: npm link',
    '',
    'Ctrl-C ends the server and this laptop. Your files stay for the next start.',
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

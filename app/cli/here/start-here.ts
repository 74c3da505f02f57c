/**
 * Starts the server and the daemon of `godwit here`, each a process of its own that ends with this one. The server keeps its
 * port from one start to the next; where somebody else has taken it meanwhile, both move to another one.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, readInvitation, writeConfig } from '../../../shared/control/config.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseHostPort } from '../arguments.ts';
import { runGodwit, spawnGodwit, type StartedCommand } from '../children.ts';

const LOOPBACK = '127.0.0.1';

export interface Here {
  readonly folder: string;
  readonly dataDir: string;
  readonly serverDir: string;
  readonly listening: string;
  /** Rejects when one of the two ends without being asked to. */
  readonly failed: Promise<never>;
  end(): Promise<void>;
}

export async function startHere(state: string, folder: string, signal: AbortSignal): Promise<Here> {
  const serverDir = join(state, 'server');
  const dataDir = join(state, 'laptop');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const running: StartedCommand[] = [];
  const end = async (): Promise<void> => {
    // The daemon first, so that it can say goodbye.
    for (const command of running.splice(0).reverse()) {
      command.child.kill('SIGTERM');
      await command.ended;
    }
  };
  const stopEarly = (): void => void end();
  signal.addEventListener('abort', stopEarly, { once: true });
  try {
    const listening = await startServer(serverDir, portOf(dataDir), running);
    await startDaemon(dataDir, folder, serverDir, listening, running);
    signal.removeEventListener('abort', stopEarly);
    const failed = Promise.race(running.map((command) => endedAlone(command, signal)));
    failed.catch(() => undefined);
    return {
      folder: readConfig(dataDir)?.folder ?? folder,
      dataDir,
      serverDir,
      listening,
      failed,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const portOf = (dataDir: string): number => readConfig(dataDir)?.server.port ?? 0;

async function startServer(
  serverDir: string,
  port: number,
  running: StartedCommand[],
): Promise<string> {
  const args = ['server', '--json', '--data', serverDir, '--listen', `${LOOPBACK}:${port}`];
  const server = spawnGodwit(args);
  running.push(server);
  try {
    return (JSON.parse(await server.firstLine) as { listening: string }).listening;
  } catch (error) {
    running.pop();
    const taken = error instanceof GodwitError && error.code === 'port-in-use';
    if (!taken || port === 0) throw error;
    return startServer(serverDir, 0, running);
  }
}

async function startDaemon(
  dataDir: string,
  folder: string,
  serverDir: string,
  listening: string,
  running: StartedCommand[],
): Promise<void> {
  const config = readConfig(dataDir);
  const paired = config !== null && readInvitation(dataDir) === null;
  const { port } = parseHostPort(listening, LOOPBACK);
  if (paired && config.server.port !== port) {
    writeConfig(dataDir, { ...config, server: { ...config.server, port } });
  }
  const env: NodeJS.ProcessEnv = {};
  if (!paired) {
    const args = ['server', 'invite', '--data', serverDir, '--address', listening];
    env['GODWIT_INVITE'] = (await runGodwit(args))['invitation'] as string;
  }
  const up = spawnGodwit(
    ['up', '--foreground', '--json', '--data', dataDir, '--folder', folder],
    env,
  );
  running.push(up);
  await up.firstLine;
}

async function endedAlone(command: StartedCommand, signal: AbortSignal): Promise<never> {
  const { code } = await command.ended;
  if (signal.aborted) return new Promise(() => undefined);
  throw new GodwitError('internal', `the server or the daemon has ended (${code}); see its log`);
}

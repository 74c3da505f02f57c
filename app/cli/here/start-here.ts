/**
 * Starts the server and the daemon of `godwit here`, each a process of its own that ends with this one. The server keeps its
 * port from one start to the next; where somebody else has taken it meanwhile, both move to another one.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig, readInvitation, writeConfig } from '../../../shared/control/config.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { parseHostPort } from '../../../shared/control/addresses.ts';
import { runGodwit, spawnGodwit, type StartedCommand } from '../children.ts';

const LOOPBACK = '127.0.0.1';
/** A start that was killed takes its server and its daemon with it, which takes a moment. */
const LEFTOVER_LIMIT_MS = 3000;
const RETRY_MS = 250;

export interface Here {
  readonly folder: string;
  readonly dataDir: string;
  readonly serverDir: string;
  readonly listening: string;
  /** Rejects when one of the two ends without being asked to. */
  readonly failed: Promise<never>;
  end(): Promise<void>;
}

/**
 * Starts a server and a daemon on this machine, paired with each other, each a process. `failed` of
 * the result rejects when one of them ends by itself. If a start fails or `signal` aborts it, both
 * are ended, and nothing more is started.
 */
export async function startHere(state: string, folder: string, signal: AbortSignal): Promise<Here> {
  const serverDir = join(state, 'server');
  const dataDir = join(state, 'laptop');
  makeFolder(state, 0o700);
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
  const programs = { running, signal };
  try {
    const listening = await startServer(serverDir, portOf(dataDir), programs);
    await startDaemon(dataDir, folder, serverDir, listening, programs);
    signal.throwIfAborted();
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

interface Programs {
  readonly running: StartedCommand[];
  /** Aborted: what runs is being ended. */
  readonly signal: AbortSignal;
}

async function startServer(serverDir: string, port: number, programs: Programs): Promise<string> {
  const args = ['server', '--json', '--data', serverDir, '--listen', `${LOOPBACK}:${port}`];
  try {
    return (await startOne(args, {}, programs))['listening'] as string;
  } catch (error) {
    if (!isCoded(error, 'port-in-use') || port === 0) throw error;
    return startServer(serverDir, 0, programs);
  }
}

/** What a command that stays says when it is ready. */
async function startOne(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { running, signal }: Programs,
): Promise<Record<string, unknown>> {
  for (let waited = 0; ; waited += RETRY_MS) {
    signal.throwIfAborted();
    const command = spawnGodwit(args, env);
    running.push(command);
    try {
      return await command.firstObject;
    } catch (error) {
      running.pop();
      if (!isCoded(error, 'already-running') || waited >= LEFTOVER_LIMIT_MS) throw error;
    }
    await wait(RETRY_MS);
  }
}

const isCoded = (error: unknown, code: ErrorCode): boolean =>
  error instanceof GodwitError && error.code === code;

async function startDaemon(
  dataDir: string,
  folder: string,
  serverDir: string,
  listening: string,
  programs: Programs,
): Promise<void> {
  const config = readConfig(dataDir);
  const paired = config !== null && readInvitation(dataDir) === null;
  const { port } = parseHostPort(listening, LOOPBACK);
  if (paired && config.server.port !== port) {
    const { NativeHost } = await import('../../../shared/transport/native-host.ts');
    const moved = { ...config, server: { ...config.server, port } };
    writeConfig(dataDir, moved, new NativeHost());
  }
  const env: NodeJS.ProcessEnv = {};
  if (!paired) {
    const args = ['server', 'invite', '--data', serverDir, '--address', listening];
    env['GODWIT_INVITE'] = (await runGodwit(args, programs.signal))['invitation'] as string;
  }
  const args = ['up', '--foreground', '--json', '--data', dataDir, '--folder', folder];
  await startOne(args, env, programs);
}

async function endedAlone(command: StartedCommand, signal: AbortSignal): Promise<never> {
  const { code } = await command.ended;
  if (signal.aborted) return new Promise(() => undefined);
  throw new GodwitError('internal', `the server or the daemon has ended (${code}); see its log`);
}

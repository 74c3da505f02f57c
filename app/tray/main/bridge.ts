/**
 * What the page may ask the main process for. Only our own page is answered; the commands are those of shared/control/page.ts, and
 * the daemon reads their arguments by its own schemas.
 */
import { app, dialog, ipcMain, type IpcMainInvokeEvent } from 'electron';
import { ControlClient } from '../../../shared/control/client.ts';
import { isPageCommand } from '../../../shared/control/commands.ts';
import type { CommandArguments } from '../../../shared/control/commands.ts';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import type { PageCommand } from '../../../shared/control/commands.ts';
import {
  coded,
  errorOf,
  pair,
  serveAndJoin,
  take,
  textOf,
  usualFolder,
  type CodedError,
} from '../../first-run/set-up.ts';
import type { Appearance } from '../view/appearance.ts';
import type { TrayArguments } from './arguments.ts';
import { startAtLogin, startsAtLogin } from './autostart.ts';
import { CHANNELS } from './channels.ts';
import type { DaemonStarter } from './daemon-starter.ts';
import type { DaemonWatch } from './daemon-watch.ts';
import type { KeptAppearance } from './kept-appearance.ts';
import { openPlace } from './open-place.ts';
import type { OwnServer } from '../../first-run/own-server.ts';

const MOST_WAIT_MS = 30_000;

export interface BridgeParts {
  readonly args: TrayArguments;
  /** The address of the page. */
  readonly page: string;
  readonly watch: DaemonWatch;
  readonly starter: DaemonStarter;
  readonly server: OwnServer;
  readonly looks: KeptAppearance;
  /** Keeps how the program looks, and shows it. */
  readonly choose: (given: unknown) => Appearance;
}

/** What it gives may be awaited. */
type Answer = (...given: readonly unknown[]) => unknown;

/**
 * Answers the calls of the page in the main process, until the program quits. Calls of any other
 * page are refused with `not-yours`.
 */
export function openBridge(parts: BridgeParts): void {
  const { args, page, watch, starter, server, looks, choose } = parts;
  const daemon = new Daemon(args.data);
  const answers: Record<keyof typeof CHANNELS, Answer> = {
    status: (revision, waitMs) => statusOf(watch, revision, waitMs),
    command: (name, given) => daemon.command(name, given),
    isNew: () => watch.isNew(),
    chooseFolder: () => chooseFolder(),
    usualFolder,
    join: (invitation, folder, name) => pair(args, invitation, folder, name),
    serve: (folder, name) => serveAndJoin(args, server, folder, name),
    devices: async () => take(await server.devices()),
    invite: async () => take(await server.invite()),
    rename: async (device, name) => take(await server.rename(numberOf(device), textOf(name))),
    revoke: async (device) => take(await server.revoke(numberOf(device))),
    open: (path, reveal) =>
      openPlace(watch.known, namesOf(path), reveal === true, (volume, names) =>
        daemon.command('cache', { act: 'demand', volume, path: names }),
      ),
    appearance: (change) => (change === null ? looks.now : choose(change)),
    start: () => starter.start().then(take),
    autostart: (set) => {
      if (typeof set === 'boolean') startAtLogin(set, args);
      return startsAtLogin();
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    const channel = CHANNELS[name as keyof typeof CHANNELS];
    ipcMain.handle(channel, (event, ...given: unknown[]) => {
      if (!isOurs(event, page)) return refusal(coded('not-yours', 'this is not our page', ''));
      return reply(answer, given);
    });
  }
  app.on('will-quit', () => daemon.close());
}

function isOurs({ senderFrame }: IpcMainInvokeEvent, page: string): boolean {
  return senderFrame?.url.split(/[?#]/, 1)[0] === page;
}

async function reply(answer: Answer, given: readonly unknown[]): Promise<ControlReply> {
  try {
    return { ok: true, result: (await answer(...given)) ?? null };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): ControlReply {
  return { ok: false, error: errorOf(error) };
}

function numberOf(given: unknown): number {
  if (Number.isSafeInteger(given)) return given as number;
  throw coded('bad-message', 'that is no number', '');
}

function namesOf(given: unknown): string[] {
  if (Array.isArray(given)) return given.map(textOf);
  throw coded('bad-message', 'that is no path', '');
}

async function statusOf(watch: DaemonWatch, revision: unknown, waitMs: unknown): Promise<unknown> {
  const wait = typeof waitMs === 'number' ? Math.min(Math.max(0, waitMs), MOST_WAIT_MS) : 0;
  const status = await watch.status(typeof revision === 'number' ? revision : null, wait);
  if (status === null) throw coded('not-running', 'no daemon runs', '');
  return status;
}

async function chooseFolder(): Promise<string | null> {
  const { filePaths } = await dialog.showOpenDialog({
    defaultPath: usualFolder(),
    properties: ['openDirectory', 'createDirectory'],
  });
  return filePaths[0] ?? null;
}

/** One client as long as its daemon lives. */
class Daemon {
  readonly #data: string;
  #client: ControlClient | null = null;

  constructor(data: string) {
    this.#data = data;
  }

  command(name: unknown, given: unknown): Promise<unknown> {
    if (!isPageCommand(name)) throw coded('bad-message', 'the page has no such command', '');
    return this.#ask((client) => client.command(name, given as CommandArguments<PageCommand>));
  }

  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  async #ask(question: (client: ControlClient) => Promise<unknown>): Promise<unknown> {
    this.#client ??= ControlClient.of(this.#data);
    try {
      return await question(this.#client);
    } catch (error) {
      // The next daemon has another socket.
      if ((error as Partial<CodedError>).code === 'not-running') this.close();
      throw error;
    }
  }
}

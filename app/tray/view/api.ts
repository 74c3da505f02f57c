/**
 * The interface that the page works with, over either carrier of its calls: the main process of the tray (preload), or HTTP in a browser. All
 * rejections are a `CallError`.
 */
import type { PageCommand } from '../../../shared/control/commands.ts';
import type { Appearance } from './appearance.ts';
import type { ControlError, ControlReply } from '../../../shared/control/protocol.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';

/** Plain data that travel between processes. */
export interface CallTransport {
  /** `revision` null: at once; else when it is another one, or after `waitMs`. */
  status(revision: number | null, waitMs: number): Promise<ControlReply>;
  command(name: PageCommand, args: object): Promise<ControlReply>;
  /** What only the program on this machine can do; null: the page is in a browser. */
  readonly program: ProgramTransport | null;
  /** The set-up of a device that a browser shows; null: this is no such page. */
  readonly firstRun: FirstRunTransport | null;
}

/** What the first start needs of this machine, whoever shows the page. */
export interface SetUpTransport {
  /** Whether a device is set up here. */
  isNew(): Promise<ControlReply>;
  /** The folder that is proposed to a new device. */
  usualFolder(): Promise<ControlReply>;
  /** Pairs with the server of the invitation, and starts the daemon. `name` '': that of the machine. */
  join(invitation: string, folder: string, name: string): Promise<ControlReply>;
  /** Runs a server on this machine, now and whenever its daemon is started, and pairs with it. */
  serve(folder: string, name: string): Promise<ControlReply>;
  /** Opens what is in the folder with its program, or the folder that it lies in. */
  open(path: readonly string[], reveal: boolean): Promise<ControlReply>;
  /** Whether the program starts with the session; `set` null: asks only. */
  autostart(set: boolean | null): Promise<ControlReply>;
}

/** The page in a browser that is there for the set-up alone. */
export interface FirstRunTransport extends SetUpTransport {
  /** Ends it, and gives the address of the daemon's page. */
  finish(): Promise<ControlReply>;
}

/** The program that shows the page in its own window. */
export interface ProgramTransport extends SetUpTransport {
  /** A folder that a person chose; null: none. */
  chooseFolder(): Promise<ControlReply>;
  /** The devices of the server that this program runs; null: it runs none. */
  devices(): Promise<ControlReply>;
  /** An invitation of that server. */
  invite(): Promise<ControlReply>;
  /** That server calls a device otherwise. */
  rename(device: number, name: string): Promise<ControlReply>;
  /** That server admits a device no longer. */
  revoke(device: number): Promise<ControlReply>;
  /** How window and icon look; `change` null: asks only. */
  appearance(change: Appearance | null): Promise<ControlReply>;
  /** Starts the daemon of a device that is paired. */
  start(): Promise<ControlReply>;
  /** Calls back with the pane that a person asked for in the menu. */
  onShow(show: (pane: string) => void): void;
}

/** Carries the code, message and remedy of a call that the daemon or the CLI refused. */
export class CallError extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor({ code, message, remedy }: ControlError) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.remedy = remedy;
  }
}

/**
 * Takes the result out of a reply. Throws CallError if the reply is an error. It does not check the
 * type.
 */
export async function resultOf<T>(reply: Promise<ControlReply>): Promise<T> {
  const told = await reply;
  if (told.ok) return told.result as T;
  throw new CallError(told.error);
}

/** Calls the daemon through a transport and throws CallError for each error. */
export class Api {
  readonly carrier: CallTransport;

  constructor(carrier: CallTransport) {
    this.carrier = carrier;
  }

  status(revision: number | null, waitMs: number): Promise<StatusSnapshot> {
    return resultOf(this.carrier.status(revision, waitMs));
  }

  command<T = unknown>(name: PageCommand, args: object = {}): Promise<T> {
    return resultOf(this.carrier.command(name, args));
  }
}

/**
 * What the page is given to work with, whoever carries its calls: the main process of the tray (preload), or HTTP in a browser. All
 * rejections are a `CallError`.
 */
import type { PageCommand } from '../../../shared/control/commands.ts';
import type { ControlError, ControlReply } from '../../../shared/control/protocol.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';

/** Plain data that travel between processes. */
export interface CallTransport {
  /** `revision` null: at once; else when it is another one, or after `waitMs`. */
  status(revision: number | null, waitMs: number): Promise<ControlReply>;
  command(name: PageCommand, args: object): Promise<ControlReply>;
  /** What only the program on this machine can do; null: the page is in a browser. */
  readonly program: ProgramTransport | null;
}

export interface ProgramTransport {
  /** Whether a device is set up here. */
  isNew(): Promise<ControlReply>;
  /** A folder that a person chose; null: none. */
  chooseFolder(): Promise<ControlReply>;
  /** Pairs with the server of the invitation, and starts the daemon. */
  join(invitation: string, folder: string): Promise<ControlReply>;
  /** Starts the daemon of a device that is paired. */
  start(): Promise<ControlReply>;
  /** Whether the program starts with the session; `set` null: asks only. */
  autostart(set: boolean | null): Promise<ControlReply>;
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

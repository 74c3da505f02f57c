/**
 * A program's side of the control protocol: the CLI, the replay tool, tests.
 *
 * Every method rejects with a GodwitError; `not-running` where no daemon answers. Keep the client as long
 * as you keep a handle: the daemon drops what a program had open when its connections end.
 */
import type { FileSystem } from '../ports/file-system.ts';
import { GodwitError } from '../wire/error-codes.ts';
import { CallSocket } from './call-socket.ts';
import { isShut, readControlFile } from './control-file.ts';
import { Lanes } from './lanes.ts';
import { MAX_WAIT_MS } from './limits.ts';
import { isLong, type CommandAnswer, type CommandArguments, type CommandName } from './commands.ts';
import { RemoteFileSystem } from './remote-file-system.ts';
import type { StatusSnapshot } from './snapshot.ts';

export class ControlClient {
  readonly fileSystem: FileSystem;
  readonly #lanes: Lanes;
  readonly #calls: CallSocket;

  constructor(socketPath: string) {
    this.#lanes = new Lanes(socketPath);
    this.#calls = new CallSocket(socketPath);
    this.fileSystem = new RemoteFileSystem(this.#calls, this.#lanes);
  }

  /** The client of the daemon that runs on a data folder. Whether one does shows with the first call. */
  static of(dataDir: string): ControlClient {
    const file = readControlFile(dataDir);
    if (file === null && isShut(dataDir)) {
      throw new GodwitError(
        'not-yours',
        `${dataDir}: this user may not look into that data folder`,
      );
    }
    if (file === null) throw new GodwitError('not-running', `no daemon runs on ${dataDir}`);
    return new ControlClient(file.socket);
  }

  async command<N extends CommandName>(
    name: N,
    args: CommandArguments<N>,
    signal?: AbortSignal,
  ): Promise<CommandAnswer<N>> {
    const call = { method: 'POST', path: `/v1/command/${name}`, body: args } as const;
    const answer = isLong(name)
      ? this.#lanes.callAlone(call, signal)
      : this.#lanes.call(this.#lanes.pick(), call, signal);
    return (await answer) as CommandAnswer<N>;
  }

  async status(): Promise<StatusSnapshot> {
    const call = { method: 'GET', path: '/v1/status' } as const;
    return (await this.#lanes.call(this.#lanes.pick(), call)) as StatusSnapshot;
  }

  /** The snapshot as soon as its revision is another one than `revision`, or as it is after `waitMs`. */
  async statusAfter(
    revision: number,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<StatusSnapshot> {
    const wait = Math.max(0, Math.min(Math.round(waitMs), MAX_WAIT_MS));
    const path = `/v1/status?revision=${revision}&waitMs=${wait}`;
    return (await this.#lanes.callAlone({ method: 'GET', path }, signal)) as StatusSnapshot;
  }

  /** The present snapshot, and then each new one; ends without an error when `signal` is aborted. */
  async *snapshots(signal?: AbortSignal): AsyncGenerator<StatusSnapshot, void, undefined> {
    let snapshot = await this.status();
    yield snapshot;
    while (signal?.aborted !== true) {
      const next = await this.statusAfter(snapshot.revision, MAX_WAIT_MS, signal).catch(
        (error: unknown) => {
          if (signal?.aborted === true) return null;
          throw error;
        },
      );
      if (next === null) return;
      if (next.revision !== snapshot.revision) yield next;
      snapshot = next;
    }
  }

  close(): void {
    this.#calls.close();
    this.#lanes.close();
  }
}

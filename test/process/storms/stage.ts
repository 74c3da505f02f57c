/** The stage of one case of a storm: a server, and two laptops, each behind a line of its own, with their folders on disks of their own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../../../shared/control/client.ts';
import { readControlFile } from '../../../shared/control/control-file.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { UdpRelay } from '../../../app/lab/shaper/udp-relay.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { Bench, endProcess, type RunningServer } from '../../support/bench.ts';
import { StormDisk, type StormDiskKind } from './storm-disk.ts';

/** The disk that is mounted in the folder of each laptop. */
export const INNER = 'disk';
/** On that disk, and ignored. */
export const FILLER = 'filler.bin';
const SECONDS = 240;

export interface Disks {
  /** Under data and folder of a laptop; under its folder alone where it lacks what a database needs. */
  readonly outer: StormDiskKind;
  readonly inner: StormDiskKind;
}

export interface StormLaptop {
  readonly name: string;
  readonly data: string;
  readonly folder: string;
  readonly outer: StormDisk;
  readonly inner: StormDisk;
  readonly relay: UdpRelay;
}

/** Starts, kills and mends what a case needs. */
export class Stage {
  readonly bench = new Bench();
  readonly laptops: StormLaptop[] = [];
  #server: RunningServer | null = null;
  /** By data folder: the last start. */
  readonly #starts = new Map<string, Promise<unknown>>();
  readonly #toStart = new Set<string>();

  get server(): RunningServer {
    if (this.#server === null) throw new Error('the server has not been started');
    return this.#server;
  }

  async begin(disks: Readonly<Record<string, Disks>>): Promise<void> {
    const { bench } = this;
    this.#server = await bench.server();
    for (const [name, { outer, inner }] of Object.entries(disks)) {
      const relay = await this.#line();
      const [data, folder] = [bench.path(name, 'data'), bench.path(name, 'Godwit')];
      const own = new StormDisk(
        outer,
        bench.path('disks', name, 'outer'),
        outer.lacks ? folder : bench.path(name),
      );
      mkdirSync(folder, { recursive: true });
      const inside = new StormDisk(inner, bench.path('disks', name, 'inner'), join(folder, INNER));
      this.laptops.push({ name, data, folder, outer: own, inner: inside, relay });
      await bench.laptop(name, await bench.invite({ ...this.server, address: relay.address }));
    }
  }

  /** A further laptop, on the disk of this machine: what it has in the end is what the volume has. */
  async reader(name: string): Promise<{ data: string; folder: string }> {
    return this.bench.laptop(name, await this.bench.invite(this.server));
  }

  async killDaemon({ data }: { data: string }): Promise<void> {
    const pid = readControlFile(data)?.pid;
    if (pid !== undefined) await endProcess(pid, 'SIGKILL');
  }

  async killServer(): Promise<void> {
    await endProcess(this.server.child.pid ?? 0, 'SIGKILL');
  }

  async serveAgain(): Promise<void> {
    this.#server = await this.bench.server('server', this.server.address);
  }

  /** One that runs already is fine: another fault has started it. On a full disk none starts; it is started when the round is over. */
  async up({ data }: { data: string }): Promise<void> {
    // Two at once write the same settings.
    const before = this.#starts.get(data) ?? Promise.resolve();
    const start = before.then(() => this.bench.godwit(['up', '--data', data, '--json']));
    this.#starts.set(
      data,
      start.catch(() => undefined),
    );
    const { code, stdout, stderr } = await start;
    if (code === 0 || stdout.includes('"already-running"')) {
      this.#toStart.delete(data);
    } else if (stdout.includes('"disk-full"')) {
      this.#toStart.add(data);
    } else throw new Error(`godwit up: ${code}: ${stdout}${stderr}`);
  }

  /** Starts the daemons for which there was no room. */
  async startLeftOut(): Promise<void> {
    for (const data of this.#toStart) await this.up({ data });
  }

  /** Null: all is synced; else the code that says why not, and the words. */
  async flush({ data }: { data: string }): Promise<string | null> {
    return withClient(data, async (client) => {
      try {
        await client.command('flush', { timeoutMs: SECONDS * 1000 });
        return null;
      } catch (error) {
        if (!(error instanceof GodwitError)) throw error;
        return `${error.code}: ${error.message}`;
      }
    });
  }

  /** All removals that are held are meant. */
  async confirm({ data }: { data: string }): Promise<void> {
    await withClient(data, (client) => client.command('confirm', {}));
  }

  status({ data }: { data: string }): Promise<StatusSnapshot> {
    return withClient(data, (client) => client.status());
  }

  /** Why a path is not synced; null: it is, or is about to be. */
  async reason({ data }: { data: string }, path: string): Promise<string | null> {
    return withClient(data, async (client) => {
      const answer = await client.command('left-out', { volume: 'home', path: path.split('/') });
      return answer.reason;
    });
  }

  /** The first snapshot for which `holds` is true; null: it has not come in all the time that it may take. */
  async until(
    { data }: { data: string },
    holds: (status: StatusSnapshot) => boolean,
  ): Promise<StatusSnapshot | null> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), SECONDS * 1000);
    });
    try {
      return await Promise.race([this.bench.until(data, holds), over]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** All ends; what is mounted goes before the folder of the case does. */
  async close(): Promise<void> {
    for (const { relay, data } of this.laptops) {
      relay.close();
      await this.killDaemon({ data });
    }
    for (const { inner, outer } of this.laptops) {
      inner.end();
      outer.end();
    }
    await this.bench.close();
  }

  async #line(): Promise<UdpRelay> {
    const [host = '', port = ''] = this.server.address.split(':');
    return UdpRelay.open({ to: { host, port: Number(port) } });
  }
}

async function withClient<T>(data: string, ask: (client: ControlClient) => Promise<T>): Promise<T> {
  const client = ControlClient.of(data);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

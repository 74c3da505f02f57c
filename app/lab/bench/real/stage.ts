/** Where a real run happens: a server, laptops behind shaped lines, each a process of its own, and a folder for what they need. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlClient } from '../../../../shared/control/client.ts';
import { DemoServer } from '../../demo/demo-server.ts';
import { Laptop } from '../../demo/laptop.ts';
import type { Configuration } from './configuration.ts';
import type { Line, LineShape, Net } from './line.ts';
import { PortFiles } from './port-files.ts';

/** A laptop, and how to reach its daemon without a process in between. */
export interface Actor {
  readonly laptop: Laptop;
  readonly line: Line;
  readonly control: ControlClient;
  readonly files: PortFiles;
  /** Everything of it is committed, and what the server had is here. */
  readonly flush: () => Promise<void>;
}

export interface StageSettings {
  readonly root: string;
  readonly net: Net;
  readonly shape: LineShape;
  readonly configuration: Configuration;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

/** Starts and ends the server and the laptops of one real run. */
export class Stage {
  readonly signal: AbortSignal;
  readonly shape: LineShape;
  readonly onStep: (step: string) => void;
  readonly #settings: StageSettings;
  readonly #server: DemoServer;
  readonly #laptops = new Set<Laptop>();
  /** Hears that the server has ended by itself. */
  onServerEnd: (() => void) | null = null;
  readonly #controls = new Set<ControlClient>();

  constructor(settings: StageSettings) {
    const { root, net, configuration, signal, shape, onStep } = settings;
    this.#settings = settings;
    this.signal = signal;
    this.shape = shape;
    this.onStep = onStep;
    this.#server = new DemoServer(root, { place: net.place, host: net.host, ...configuration });
  }

  async open(): Promise<void> {
    await this.#server.up();
    this.#watchServer();
  }

  /** It ends in good order and begins anew, at its address: what it has in memory is gone. While no laptop runs. */
  async restartServer(): Promise<void> {
    const { onServerEnd } = this;
    this.onServerEnd = null;
    await this.#server.end();
    this.signal.throwIfAborted();
    await this.#server.up();
    this.onServerEnd = onServerEnd;
    this.#watchServer();
  }

  #watchServer(): void {
    const { ended } = this.#server;
    void ended?.then(() => {
      if (this.#server.ended === ended) this.onServerEnd?.();
    });
  }

  /** How the server's process ends: without one the laptops would wait, in good order, for ever. */
  get serverEnded(): Promise<unknown> {
    return this.#server.ended ?? Promise.resolve();
  }

  /**
   * Starts a laptop behind a link of its own, with the common conditions unless others are given.
   * `whom`: the person of the laptop, and what else is asked of the invitation.
   */
  async far(
    name: string,
    frontEnd: 'folder' | 'none',
    shape: LineShape = this.shape,
    whom: readonly string[] = [],
  ): Promise<Actor> {
    const { net } = this.#settings;
    return this.#actor(name, frontEnd, await net.line(this.#server.address, shape), whom);
  }

  /** `godwit server NAME ARGS` beside the server; its JSON object, or its error thrown. */
  server(...args: readonly string[]): Promise<Record<string, unknown>> {
    return this.#server.command(...args);
  }

  /** A laptop at the server, through the port alone: for what is to be there before a run begins. */
  near(name: string): Promise<Actor> {
    const { net } = this.#settings;
    return this.#actor(name, 'none', new DirectLine(net.place, this.#server.address));
  }

  /** A folder of this name for files of the run. */
  folder(name: string): string {
    const path = join(this.#settings.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Ends one of them, in good order. */
  async end({ laptop, control }: Actor): Promise<void> {
    control.close();
    this.#controls.delete(control);
    await laptop.end();
    this.#laptops.delete(laptop);
  }

  /** Ends all of it. Never fails. */
  async close(): Promise<void> {
    for (const control of this.#controls) control.close();
    await Promise.all([...this.#laptops].map((laptop) => laptop.end()));
    await this.#server.end();
  }

  async #actor(
    name: string,
    frontEnd: 'folder' | 'none',
    line: Line,
    whom: readonly string[] = [],
  ): Promise<Actor> {
    const { root, configuration, signal } = this.#settings;
    signal.throwIfAborted();
    const laptop = new Laptop(root, name, signal, {
      place: line.place,
      frontEnd,
      ...configuration,
    });
    const invitation = await this.#server.invite(line.address, whom);
    return this.#start(laptop, line, invitation);
  }

  /** Its daemon ends and begins anew, with a connection that knows nothing of the line. */
  async restart({ laptop, line, control }: Actor): Promise<Actor> {
    control.close();
    await laptop.end();
    return this.#start(laptop, line);
  }

  async #start(laptop: Laptop, line: Line, invitation?: string): Promise<Actor> {
    // Also when all of it was ended while an invitation was made.
    this.signal.throwIfAborted();
    this.#laptops.add(laptop);
    await laptop.up(invitation);
    const control = laptop.control();
    this.#controls.add(control);
    const files = await PortFiles.of(control.fileSystem);
    const flush = async (): Promise<void> => {
      await control.command('flush', { timeoutMs: null }, this.signal);
    };
    return { laptop, line, control, files, flush };
  }
}

/** No line at all. */
class DirectLine implements Line {
  readonly place;
  readonly address;

  constructor(place: Line['place'], address: string) {
    this.place = place;
    this.address = address;
  }

  shape = refuse;
  cut = refuse;
  restore = refuse;
  move = refuse;
  arrived = refuse;
  counted = refuse;
}

function refuse(): never {
  throw new TypeError('a laptop at the server has no line');
}

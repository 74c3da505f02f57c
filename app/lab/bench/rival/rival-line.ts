/** A line that the kernel shapes, with an end of the Link and of TCP at each side: processes in network namespaces of their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { Place } from '../../../cli/children.ts';
import type { DelayCell, Direction } from '../delay/delay-cells.ts';
import type { Answers, Bounds } from '../delay/urgent-messages.ts';
import { EndProcess } from '../end-process.ts';
import type { Line } from '../real/line.ts';
import { TbfNet } from '../real/tbf-net.ts';
import { shapeOf, TCP, type Came } from './rival-figures.ts';
import type { Question, ServedBoth } from './rival-talk.ts';

const RIVAL_END = fileURLToPath(new URL('./rival-end.ts', import.meta.url));

/** Builds a line that the kernel shapes, with ends of the transport and of TCP on both sides. */
export class RivalLine {
  readonly #net = TbfNet.open({ flag: '--rival', congestion: TCP });
  readonly #folder = mkdtempSync(join(tmpdir(), 'godwit-delay-'));
  readonly #scheduling: Scheduling;
  readonly #signal: AbortSignal;
  readonly #ends: EndProcess[] = [];
  #line: Line | null = null;

  constructor(scheduling: Scheduling, signal: AbortSignal) {
    this.#scheduling = scheduling;
    this.#signal = signal;
    signal.addEventListener('abort', this.#endAll, { once: true });
  }

  async open(cell: DelayCell): Promise<void> {
    const { place, host } = this.#net;
    this.#line = await this.#net.line(host, shapeOf(cell));
    const served = await this.#start(place, 'serve', host).next<ServedBoth>();
    await this.#start(this.#line.place, 'call', JSON.stringify(served)).next();
  }

  /** TCP flows, each way of it one. */
  async beginFlows(direction: Direction): Promise<void> {
    await this.#caller.ask({ ask: 'flows', direction } satisfies Question);
  }

  async beginBulk(direction: Direction): Promise<void> {
    await this.#caller.ask({ ask: 'bulk', direction } satisfies Question);
  }

  async send(bounds: Bounds): Promise<void> {
    await this.#caller.ask({ ask: 'send', bounds } satisfies Question);
  }

  /** To what was sent last. */
  answers(): Promise<Answers> {
    return this.#caller.ask<Answers>({ ask: 'answers' } satisfies Question);
  }

  /** Bytes that have come over the line, with headers. */
  async came(): Promise<Came> {
    const all = this.#line?.arrived() ?? { up: 0, down: 0 };
    const [up, down] = await Promise.all(
      this.#ends.map((end) => end.ask<{ bytes: number }>({ ask: 'came' } satisfies Question)),
    );
    return {
      up: { all: all.up, tcp: up?.bytes ?? 0 },
      down: { all: all.down, tcp: down?.bytes ?? 0 },
    };
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#endAll);
    this.#endAll();
    await Promise.all(this.#ends.map(({ ended }) => ended));
    this.#net.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #caller(): EndProcess {
    const [, caller] = this.#ends;
    if (caller === undefined) throw new TypeError('a line that is not open');
    return caller;
  }

  #start(place: Place, role: 'serve' | 'call', at: string): EndProcess {
    this.#signal.throwIfAborted();
    const args = [role, join(this.#folder, role), this.#scheduling, at];
    const end = new EndProcess(place, RIVAL_END, args);
    this.#ends.push(end);
    return end;
  }

  readonly #endAll = (): void => this.#ends.forEach((end) => end.kill());
}

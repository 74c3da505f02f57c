/**
 * Two endpoints of the Link with the relay between them: bulk one way or both without an end, and urgent messages of 200 bytes beside it.
 * Both are in this process; what works is on threads of the addon.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAR, type Conditions } from '../../../../shared/link/conditions.ts';
import { UdpRelay } from '../../../../shared/link/udp-relay.ts';
import type { CallId, ConnectionId, LinkHandler } from '../../../../shared/ports/link.ts';
import { generateIdentity } from '../../../../shared/transport/identity.ts';
import { MsquicLink, type MsquicLinkOptions } from '../../../../shared/transport/msquic-link.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { DelayCell } from './delay-cells.ts';

const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 4096;
/** Of one content; with three under way there is always another. */
const CONTENT_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 3;
const URGENT_BYTES = 200;
/** What the header of a request begins with: how it is to be answered. */
const ANSWER = 0;
const ANSWER_WITH_BULK = 1;
const CONNECTED_WITHIN_MS = 20_000;
const LOOK_MS = 10;

const NOTHING: LinkHandler = {
  connected: () => undefined,
  closed: () => undefined,
  incoming: () => undefined,
  reply: () => undefined,
  content: () => undefined,
  partial: (_call, { path }) => rmSync(path, { force: true }),
  sent: () => undefined,
  aborted: () => undefined,
  progress: () => undefined,
  statistics: () => undefined,
  ticket: () => undefined,
};

export class DelayLine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'godwit-delay-'));
  readonly #file = join(this.#folder, 'bulk');
  readonly #server: MsquicLink;
  readonly #client: MsquicLink;
  readonly #urgent = new Map<CallId, { at: number; answered: (ms: number) => void }>();
  readonly #serverIdentity = generateIdentity('server');
  #relay: UdpRelay | null = null;
  #connection: ConnectionId = 0;
  #isConnected = false;
  #isOver = false;

  constructor(scheduling: NonNullable<MsquicLinkOptions['scheduling']>) {
    writeFileSync(this.#file, Buffer.alloc(CONTENT_BYTES, 7));
    const link = (name: string, handler: LinkHandler): MsquicLink => {
      const spool = join(this.#folder, name);
      mkdirSync(spool);
      const identity = name === 'server' ? this.#serverIdentity : generateIdentity(name);
      return new MsquicLink({
        identity,
        spool,
        handler,
        scheduling,
        maxHeaderBytes: MAX_HEADER_BYTES,
      });
    };
    this.#server = link('server', this.#serverHandler());
    this.#client = link('client', this.#clientHandler());
  }

  async open({ roundTripMs }: DelayCell, signal: AbortSignal): Promise<void> {
    const to = await this.#server.listen({ host: LOOPBACK, port: 0 });
    const far = { delayMs: roundTripMs / 2 };
    this.#relay = await UdpRelay.open({ to, up: far, down: far });
    const pin = this.#serverIdentity.fingerprint;
    const { port } = this.#relay;
    this.#connection = this.#client.connect({ host: LOOPBACK, port, pin, ticket: null });
    for (const began = performance.now(); !this.#isConnected;) {
      if (performance.now() - began > CONNECTED_WITHIN_MS)
        throw new GodwitError('internal', 'bench delay: the two ends do not find each other');
      await wait(LOOK_MS, undefined, { signal });
    }
  }

  /** The line is as in the cell from now on. */
  shape({ rate, queueMs, roundTripMs, loss }: DelayCell): void {
    const queue = { ms: queueMs };
    const conditions: Conditions = { ...CLEAR, rate, queue, delayMs: roundTripMs / 2, loss };
    this.#relay?.change({ up: conditions, down: conditions });
  }

  beginBulk({ direction }: DelayCell): void {
    for (let count = 0; count < AT_ONCE; count++) {
      if (direction !== 'down') this.#send();
      if (direction !== 'up') this.#fetch();
    }
  }

  /** A round trip of an urgent message, milliseconds. It never ends where there is no answer. */
  roundTrip(): Promise<number> {
    const header = Buffer.alloc(URGENT_BYTES, ANSWER);
    return new Promise((answered) => {
      const at = performance.now();
      const call = this.#client.request(this.#connection, {
        priorityClass: 'VALIDATE',
        header,
        content: null,
      });
      this.#urgent.set(call, { at, answered });
    });
  }

  /** Bytes that have arrived, with headers. */
  arrived(): { up: number; down: number } {
    const statistics = this.#relay?.statistics();
    const of = (way: 'up' | 'down'): number => statistics?.[way].arrived.bytes ?? 0;
    return { up: of('up'), down: of('down') };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([this.#client.shutdown(), this.#server.shutdown()]);
    this.#relay?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #send(): void {
    if (this.#isOver) return;
    const content = { path: this.#file, offset: 0, length: CONTENT_BYTES };
    const header = Buffer.alloc(URGENT_BYTES, ANSWER);
    this.#client.request(this.#connection, { priorityClass: 'STORE_DATA', header, content });
  }

  #fetch(): void {
    if (this.#isOver) return;
    const header = Buffer.alloc(URGENT_BYTES, ANSWER_WITH_BULK);
    this.#client.request(this.#connection, { priorityClass: 'PREFETCH', header, content: null });
  }

  #serverHandler(): LinkHandler {
    return {
      ...NOTHING,
      incoming: (_connection, call, { header, contentLength }) => {
        if (contentLength > 0) return;
        const bulk = { path: this.#file, offset: 0, length: CONTENT_BYTES };
        const content = header[0] === ANSWER_WITH_BULK ? bulk : null;
        this.#server.reply(call, { header: Buffer.alloc(URGENT_BYTES), content });
      },
      content: (call, { path }) => {
        rmSync(path, { force: true });
        this.#server.reply(call, { header: Buffer.alloc(1), content: null });
      },
    };
  }

  #clientHandler(): LinkHandler {
    return {
      ...NOTHING,
      connected: () => {
        this.#isConnected = true;
      },
      reply: (call, { contentLength }) => {
        const urgent = this.#urgent.get(call);
        this.#urgent.delete(call);
        if (urgent !== undefined) urgent.answered(performance.now() - urgent.at);
        else if (contentLength === 0) this.#send();
      },
      content: (_call, { path }) => {
        rmSync(path, { force: true });
        this.#fetch();
      },
    };
  }
}

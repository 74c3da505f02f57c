/** The two ends of a line on which messages are measured beside bulk: endpoints of the Link, with bulk that has no end, and messages of 200 bytes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type {
  CallId,
  ConnectionId,
  ContentSource,
  Identity,
  TransportHandler,
} from '../../../../shared/ports/transport.ts';
import { generateIdentity } from '../../../../shared/transport/identity.ts';
import { MsquicTransport } from '../../../../shared/transport/msquic-transport.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Direction } from './delay-cells.ts';

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

const NOTHING: TransportHandler = {
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
  unread: () => undefined,
};

export interface EndSettings {
  /** Is made, and belongs to this end alone; who named it removes it. */
  readonly folder: string;
  readonly scheduling: Scheduling;
}

/** Where the serving end is, and who it is. */
export interface ControlServices {
  readonly host: string;
  readonly port: number;
  readonly pin: string;
}

/** Answers urgent messages, takes contents, and sends bulk on request. */
export class ServingEnd {
  readonly #identity = generateIdentity('server');
  readonly #bulk: ContentSource;
  readonly #link: MsquicTransport;

  constructor(settings: EndSettings) {
    this.#bulk = makeBulk(settings);
    this.#link = openLink(settings, this.#identity, this.#handler());
  }

  async listen(host: string): Promise<ControlServices> {
    const at = await this.#link.listen({ host, port: 0 });
    return { ...at, pin: this.#identity.fingerprint };
  }

  close(): Promise<void> {
    return this.#link.shutdown();
  }

  #handler(): TransportHandler {
    return {
      ...NOTHING,
      incoming: (_connection, call, { header, contentLength }) => {
        if (contentLength > 0) return;
        const content = header[0] === ANSWER_WITH_BULK ? this.#bulk : null;
        this.#link.reply(call, { header: Buffer.alloc(URGENT_BYTES), content });
      },
      content: (call, { path }) => {
        rmSync(path, { force: true });
        this.#link.reply(call, { header: Buffer.alloc(1), content: null });
      },
    };
  }
}

/** Sends urgent messages and measures their round trips, beside bulk in one or both directions. */
export class CallingEnd {
  readonly #bulk: ContentSource;
  readonly #link: MsquicTransport;
  readonly #urgent = new Map<CallId, { at: number; answered: (ms: number) => void }>();
  #connection: ConnectionId = 0;
  #isConnected = false;
  #isOver = false;

  constructor(settings: EndSettings) {
    this.#bulk = makeBulk(settings);
    this.#link = openLink(settings, generateIdentity('client'), this.#handler());
  }

  async connect(to: ControlServices, signal: AbortSignal): Promise<void> {
    this.#connection = this.#link.connect({ ...to });
    for (const began = performance.now(); !this.#isConnected;) {
      if (performance.now() - began > CONNECTED_WITHIN_MS)
        throw new GodwitError('internal', 'bench delay: the two ends do not find each other');
      await wait(LOOK_MS, undefined, { signal });
    }
  }

  beginBulk(direction: Direction): void {
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
      const call = this.#link.request(this.#connection, {
        priorityClass: 'VALIDATE',
        header,
        content: null,
      });
      this.#urgent.set(call, { at, answered });
    });
  }

  close(): Promise<void> {
    this.#isOver = true;
    return this.#link.shutdown();
  }

  #send(): void {
    if (this.#isOver) return;
    const header = Buffer.alloc(URGENT_BYTES, ANSWER);
    const content = this.#bulk;
    this.#link.request(this.#connection, { priorityClass: 'STORE_DATA', header, content });
  }

  #fetch(): void {
    if (this.#isOver) return;
    const header = Buffer.alloc(URGENT_BYTES, ANSWER_WITH_BULK);
    this.#link.request(this.#connection, { priorityClass: 'PREFETCH', header, content: null });
  }

  #handler(): TransportHandler {
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

function makeBulk({ folder }: EndSettings): ContentSource {
  mkdirSync(folder);
  const path = join(folder, 'bulk');
  writeFileSync(path, Buffer.alloc(CONTENT_BYTES, 7));
  return { path, offset: 0, length: CONTENT_BYTES };
}

function openLink(
  settings: EndSettings,
  identity: Identity,
  handler: TransportHandler,
): MsquicTransport {
  const { folder, scheduling } = settings;
  const spool = join(folder, 'spool');
  mkdirSync(spool);
  const maxHeaderBytes = MAX_HEADER_BYTES;
  return new MsquicTransport({ identity, spool, handler, scheduling, maxHeaderBytes });
}

/**
 * What the suite of the Link port needs from the world it runs in (real or simulated), and what it writes down.
 */
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type {
  AbortReason,
  CallId,
  CallProgress,
  CloseReason,
  ConnectionId,
  Fingerprint,
  Identity,
  Transport,
  TransportHandler,
  ConnectionStatistics,
  PartialContent,
  ReceivedContent,
  StrangerLimits,
} from '../../shared/ports/transport.ts';

export interface EndpointSettings {
  readonly maxHeaderBytes?: number;
  readonly partialFrom?: number;
  readonly strangers?: StrangerLimits;
  /** By default a fresh one. */
  readonly identity?: Identity;
  /** Behind a way of its own (`way`). */
  readonly isElsewhere?: boolean;
}

/** One endpoint on a machine of its own, with files. */
export interface TestEndpoint {
  readonly link: Transport;
  readonly identity: Identity;
  /** Where it listens, and where others reach it. */
  readonly host: string;
  /** Makes a file to be sent and returns its path. */
  writeFile(name: string, bytes: Uint8Array): string;
  readFile(path: string): Uint8Array;
  /** The files in its spool, in order. */
  spooled(): string[];
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface Way {
  /** Where to connect to. */
  readonly at: Place;
  /** Long answers do not arrive any more; `mend` ends that. */
  cutBack(): void;
  mend(): void;
}

export interface TransportHarness {
  /** A content that takes the world long enough to send that others can overtake it, bytes. */
  readonly bulk: number;
  endpoint(handler: TransportHandler, settings?: EndpointSettings): TestEndpoint;
  newIdentity(name: string): Identity;
  /** Another way from an endpoint to where one listens. */
  way(from: TestEndpoint, to: Place): Promise<Way>;
  /** A port of `host` on which nobody listens. */
  freePort(host: string): Promise<number>;
  /** Milliseconds of the clock that the links go by. */
  now(): number;
  /** Lets the world go on until the predicate holds. It is asked after each call of a handler. */
  until(holds: () => boolean, what: string): Promise<void>;
  /** Lets the world go on until the promise is settled. */
  settled<T>(promise: Promise<T>): Promise<T>;
  /** Shuts every endpoint and removes every file. */
  cleanUp(): Promise<void>;
}

export type TransportEvent =
  | {
      kind: 'connected';
      connection: ConnectionId;
      peer: Fingerprint;
      inbound: boolean;
    }
  | { kind: 'closed'; connection: ConnectionId; reason: CloseReason }
  | { kind: 'unread'; connection: ConnectionId }
  | {
      kind: 'incoming';
      connection: ConnectionId;
      call: CallId;
      priorityClass: PriorityClass;
      text: string;
      contentLength: number;
    }
  | { kind: 'reply'; call: CallId; text: string; contentLength: number }
  | { kind: 'content'; call: CallId; content: ReceivedContent }
  | { kind: 'partial'; call: CallId; content: PartialContent }
  | { kind: 'sent'; call: CallId; digest: string | null }
  | { kind: 'aborted'; call: CallId; reason: AbortReason; code: number };

export type Incoming = Extract<TransportEvent, { kind: 'incoming' }>;
export type Content = Extract<TransportEvent, { kind: 'content' }>;
type Kind = TransportEvent['kind'];
type Of<K extends Kind> = Extract<TransportEvent, { kind: K }>;

/** A handler that writes everything down, and lets a test answer. */
export class TransportLog implements TransportHandler {
  readonly events: TransportEvent[] = [];
  readonly statisticsOf = new Map<ConnectionId, ConnectionStatistics>();
  readonly progressOf = new Map<CallId, CallProgress[]>();
  onIncoming: (incoming: Incoming) => void = () => undefined;
  onContent: (content: Content) => void = () => undefined;
  onProgress: (call: CallId, progress: CallProgress) => void = () => undefined;
  /** How deep inside methods of the link the program is: no event may come there. */
  depth = 0;
  /** Events that came from inside a method: contract 1 says none. */
  inside = 0;

  /** The events of one kind, oldest first. */
  all<K extends Kind>(kind: K): Array<Of<K>> {
    return this.events.filter((event): event is Of<K> => event.kind === kind);
  }

  has(kind: Kind, holds: (event: TransportEvent) => boolean = () => true): boolean {
    return this.events.some((event) => event.kind === kind && holds(event));
  }

  /** What was told of one call, without progress. */
  of(call: CallId): TransportEvent[] {
    return this.events.filter((event) => 'call' in event && event.call === call);
  }

  kinds(call: CallId): Kind[] {
    return this.of(call).map((event) => event.kind);
  }

  /** The ending of a call: a caller's whole reply, a callee's `sent`, or `aborted`. */
  hasEnded(call: CallId): boolean {
    const told = this.of(call);
    const reply = told.find((event) => event.kind === 'reply');
    return told.some(
      (event) =>
        event.kind === 'aborted' ||
        (event.kind === 'reply' && event.contentLength === 0) ||
        (event.kind === 'content' && reply !== undefined) ||
        (event.kind === 'sent' && told.some(({ kind }) => kind === 'incoming')),
    );
  }

  connected(
    connection: ConnectionId,
    about: { peer: Fingerprint; address: string; inbound: boolean },
  ): void {
    const { peer, inbound } = about;
    this.#tell({ kind: 'connected', connection, peer, inbound });
  }

  closed(connection: ConnectionId, reason: CloseReason): void {
    this.#tell({ kind: 'closed', connection, reason });
  }

  unread(connection: ConnectionId): void {
    this.#tell({ kind: 'unread', connection });
  }

  incoming(
    connection: ConnectionId,
    call: CallId,
    request: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
  ): void {
    const { priorityClass, header, contentLength } = request;
    const text = new TextDecoder().decode(header);
    const event = {
      kind: 'incoming',
      connection,
      call,
      priorityClass,
      text,
      contentLength,
    } as const;
    this.#tell(event);
    this.onIncoming(event);
  }

  reply(call: CallId, reply: { header: Uint8Array; contentLength: number }): void {
    const text = new TextDecoder().decode(reply.header);
    this.#tell({ kind: 'reply', call, text, contentLength: reply.contentLength });
  }

  content(call: CallId, content: ReceivedContent): void {
    const event = { kind: 'content', call, content } as const;
    this.#tell(event);
    this.onContent(event);
  }

  partial(call: CallId, content: PartialContent): void {
    this.#tell({ kind: 'partial', call, content });
  }

  sent(call: CallId, digest: string | null): void {
    this.#tell({ kind: 'sent', call, digest });
  }

  aborted(call: CallId, reason: AbortReason, code: number): void {
    this.#tell({ kind: 'aborted', call, reason, code });
  }

  progress(call: CallId, progress: CallProgress): void {
    this.#note();
    const told = this.progressOf.get(call) ?? [];
    told.push(progress);
    this.progressOf.set(call, told);
    this.onProgress(call, progress);
  }

  statistics(connection: ConnectionId, statistics: ConnectionStatistics): void {
    this.#note();
    this.statisticsOf.set(connection, statistics);
  }

  #tell(event: TransportEvent): void {
    this.#note();
    this.events.push(event);
  }

  #note(): void {
    if (this.depth > 0) this.inside += 1;
  }
}

/** The link, with the log told while the program is inside one of its methods. */
export function watched(link: Transport, log: TransportLog): Transport {
  return new Proxy(link, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        log.depth += 1;
        try {
          return Reflect.apply(member, target, args) as unknown;
        } finally {
          log.depth -= 1;
        }
      };
    },
  });
}

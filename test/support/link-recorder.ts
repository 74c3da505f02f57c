/** A TransportHandler that records its calls and answers as a test says, for the tests of links. */
import type {
  CallId,
  CloseReason,
  ConnectionId,
  TransportHandler,
  PartialContent,
  ReceivedContent,
} from '../../shared/ports/transport.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';

export interface Incoming {
  readonly connection: ConnectionId;
  readonly call: CallId;
  readonly priorityClass: PriorityClass;
  readonly text: string;
  readonly contentLength: number;
}

/** The handler of a link under test. */
export class Recorder implements TransportHandler {
  readonly events: string[] = [];
  readonly incomings: Incoming[] = [];
  readonly contents = new Map<CallId, ReceivedContent>();
  readonly connections: ConnectionId[] = [];
  readonly closes: CloseReason[] = [];
  onIncoming: (incoming: Incoming) => void = () => {};

  connected(connection: ConnectionId): void {
    this.connections.push(connection);
    this.events.push('connected');
  }

  closed(_connection: ConnectionId, reason: CloseReason): void {
    this.closes.push(reason);
    this.events.push(`closed ${reason}`);
  }

  incoming(
    connection: ConnectionId,
    call: CallId,
    request: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
  ): void {
    const text = new TextDecoder().decode(request.header);
    const { priorityClass, contentLength } = request;
    const incoming = { connection, call, priorityClass, text, contentLength };
    this.incomings.push(incoming);
    this.events.push(`incoming ${text}`);
    this.onIncoming(incoming);
  }

  reply(_call: CallId, reply: { header: Uint8Array; contentLength: number }): void {
    this.events.push(`reply ${new TextDecoder().decode(reply.header)}`);
  }

  content(call: CallId, content: ReceivedContent): void {
    this.contents.set(call, content);
    this.events.push(`content ${content.length}`);
  }

  partial(_call: CallId, content: PartialContent): void {
    this.events.push(`partial ${content.length}`);
  }

  sent(_call: CallId, digest: string | null): void {
    this.events.push(digest === null ? 'sent' : `sent ${digest.slice(0, 8)}`);
  }

  aborted(_call: CallId, reason: string, code: number): void {
    this.events.push(`aborted ${reason} ${code}`);
  }

  progress(): void {}

  statistics(): void {}

  unread(): void {}
}

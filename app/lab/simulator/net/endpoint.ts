/** What an end of a connection needs of the link it belongs to, and what the link needs of it for a call. */
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type {
  AbortReason,
  CallId,
  ConnectionId,
  ContentSource,
  EndpointOptions,
  StrangerLimits,
} from '../../../../shared/ports/transport.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import type { Call } from './call.ts';
import type { Sending } from './send-queue.ts';

export interface CallOwner {
  reply(call: Call, reply: { header: Uint8Array; content: ContentSource | null }): void;
  setClass(call: Call, priorityClass: PriorityClass): void;
  abort(call: Call, reason: AbortReason, code: number): void;
}

export interface Endpoint {
  readonly host: string;
  readonly options: EndpointOptions;
  /** How what it sends is ordered. */
  readonly sending: Sending;
  readonly disk: MemoryDisk;
  readonly time: Schedule;
  /** False: its process is gone. */
  readonly alive: boolean;
  /** Null: its peer is none. */
  strangerLimits(connection: ConnectionId): StrangerLimits | null;
  nextCall(): CallId;
  opened(call: Call, owner: CallOwner): void;
  ended(call: Call): void;
  /** A free path in the spool. */
  spoolPath(): string;
  closed(connection: ConnectionId): void;
}

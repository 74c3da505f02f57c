/** What the link driver knows of a call that is open, and of a request that may take several. */
import type { CallProgress, PartialContent } from '../../shared/ports/transport.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { RpcName } from '../../shared/wire/rpcs.ts';
import type { RpcReply, RequestId } from '../core/events.ts';
import type { Direction } from './traffic.ts';
import type { Answer, Conversation } from './transfers/conversation.ts';

/** Callbacks and state of one open call. */
export interface OpenCall {
  /** null: of several stores that go together. */
  readonly request: RequestId | null;
  readonly rpc: RpcName;
  priorityClass: PriorityClass;
  /** Content bytes that are counted. */
  readonly moved: Record<Direction, number>;
  readonly length: number;
  readonly ended: (answer: Answer) => void;
  readonly progress: (progress: CallProgress) => void;
  reply: { readonly reply: RpcReply; readonly contentLength: number } | null;
  partial: PartialContent | null;
}

/** A request that is carried out in part: perhaps no call of it is open at the moment. */
export interface InPart extends Conversation {
  isOver: boolean;
  /** It is to end: nothing more is asked. */
  isStopped: boolean;
  /** Of what is asked from now on. */
  priorityClass: PriorityClass;
}

/** Asked on a connection that has ended. */
export const OVER: Answer = { kind: 'aborted', reason: 'closed', begun: null, partial: null };

/** Asked for a request that was stopped. */
export const STOPPED: Answer = { kind: 'aborted', reason: 'local', begun: null, partial: null };

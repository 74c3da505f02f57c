/**
 * One request of the core while it is carried out: perhaps with a question before it, or with a second attempt. The core has sent one
 * request and gets one end of it.
 */
import type {
  AbortReason,
  ContentSource,
  PartialContent,
  ReceivedContent,
} from '../../../shared/ports/transport.ts';
import type { AnyRpc, Effect } from '../../core/effects.ts';
import type { RpcReply } from '../../core/events.ts';

export type RequestEffect = Extract<Effect, { kind: 'request' }>;

export type Answer =
  | {
      readonly kind: 'reply';
      readonly reply: RpcReply;
      readonly content: ReceivedContent | null;
    }
  | {
      readonly kind: 'aborted';
      readonly reason: AbortReason;
      /** It came before the end, with the length of the content that was to follow. */
      readonly begun: { readonly reply: RpcReply; readonly contentLength: number } | null;
      /** The received part of that content: a file that belongs to the caller. */
      readonly partial: PartialContent | null;
    };

export interface Conversation {
  /** Its connection has ended, and the core knows: nothing more is sent, and a late result is discarded. */
  readonly isOver: boolean;
  /** On the connection it began on, in the class of the request. */
  ask(message: AnyRpc, content: ContentSource | null): Promise<Answer>;
}

/** The outcome that is posted to the core. */
export type Ending =
  | {
      readonly kind: 'reply';
      readonly reply: RpcReply;
      readonly content: ReceivedContent | null;
    }
  | { readonly kind: 'aborted'; readonly reason: AbortReason };

/**
 * One request of the core while it is carried out: perhaps with a question before it, or with a second attempt. The core has sent one
 * request and gets one end of it.
 */
import type {
  AbortReason,
  ContentSource,
  PartialContent,
  ReceivedContent,
} from '../../../shared/ports/link.ts';
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
      /** What came of that content: a file of the one who asked. */
      readonly partial: PartialContent | null;
    };

export interface Conversation {
  /** Its connection has ended, and the core was told: nothing more is asked, and what comes of it is nobody's. */
  readonly isOver: boolean;
  /** On the connection it began on, in the class of the request. */
  ask(message: AnyRpc, content: ContentSource | null): Promise<Answer>;
}

/** What the core is told. */
export type Ending =
  | {
      readonly kind: 'reply';
      readonly reply: RpcReply;
      readonly content: ReceivedContent | null;
    }
  | { readonly kind: 'aborted'; readonly reason: AbortReason };

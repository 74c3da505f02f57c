/** Updates whose contents or rows are under way: what is done with them when those are here. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { RowKey } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import type { DeviceState, PendingUpdate } from '../device/device.ts';
import type { CallId, KnownContent } from '../events.ts';

/** How a store announces the stream that its contents come in. */
export type StoreStream = NonNullable<RequestOf<'Store'>['stream']>;

/** A store whose contents are under way, by its call. `keeping`: they have arrived, and are being rebuilt or made durable. */
export interface Receiving {
  readonly pending: PendingUpdate;
  /** The stream that contents come in, or their delta; null: they come whole, themselves. */
  readonly stream: StoreStream | null;
  /** More than is taken a second time for nothing. */
  readonly isMuch: boolean;
  /** What its delta is against, once that is known: it is not collected meanwhile (rule D3). */
  base: KnownContent | null;
  keeping: boolean;
}

/** `rest`: those that come after, once these are decided. `isBatch`: all of them are the first of their device's batches. */
export interface UpdatesJob {
  readonly kind: 'updates';
  readonly updates: readonly PendingUpdate[];
  readonly rest: readonly PendingUpdate[];
  readonly isBatch: boolean;
  /** Rows that an earlier round found missing. */
  readonly extra: readonly RowKey[];
  readonly round: number;
}

/** Was this store applied already? Then its contents need not come again. */
export interface ReceiptJob {
  readonly kind: 'receipt';
  readonly pending: PendingUpdate;
  readonly call: CallId;
}

/** Which contents is this delta against? It lies at `path`. */
export interface BaseJob {
  readonly kind: 'base';
  readonly pending: PendingUpdate;
  readonly call: CallId;
  readonly path: string;
}

/** Which contents will this delta be against? It is on its way. */
export interface PinJob {
  readonly kind: 'pin';
  readonly pending: PendingUpdate;
  readonly call: CallId;
}

/** Were these hidden updates applied already? Then the message that reported them came late. */
export interface AnnouncedJob {
  readonly kind: 'announced';
  readonly device: DeviceState;
  readonly marks: ReadonlyArray<{ readonly fid: Fid; readonly seq: UpdateSeq }>;
}

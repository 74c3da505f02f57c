/** The networks in a daemon's answers: the rule of a person for each, and the bytes of today. */
import type { NetworkKind, NetworkRule } from '../model/network.ts';

export interface NetworkRow {
  /** A network, or what its rule tells it by. */
  readonly network: string;
  readonly rule: NetworkRule | null;
  /** Bytes of today. */
  readonly used: number;
  /** The machine is on it. */
  readonly current: boolean;
}

export interface NetworkList {
  readonly networks: readonly NetworkRow[];
}

/** The network that is used now, in the status. */
export interface NetworkStatus {
  readonly name: string;
  readonly kind: NetworkKind;
  readonly metered: boolean;
  /** The source that says whether it is metered. */
  readonly why: string;
  /** Bytes that the daemon has moved on it today, both ways. */
  readonly used: number;
  /** Of a day; null: as many as there are. */
  readonly budget: { readonly bytes: number; readonly left: number } | null;
  /** Bytes a second of background contents; null: as fast as it goes. */
  readonly trickle: number | null;
  /** `free`: everything moves. `trickles`, or `waits`: background contents do, until `until` or for another network. */
  readonly background: 'free' | 'trickles' | 'waits';
  /** On the wall clock, in milliseconds since 1970. */
  readonly until: number | null;
  /** What that is now: stores and the bytes of their contents, and files that the folder would bring in. */
  readonly waiting: { readonly stores: number; readonly bytes: number; readonly fetches: number };
}

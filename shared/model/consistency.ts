/** How a device keeps others from reading what is old, and what it reads itself: settings of the daemon, durable in its database. */

/**
 * The server is informed of updates that others could miss (forward invalidation, rule S2). `async`: programs go on at once. `sync`: a program that
 * closes what it wrote through the port waits until the server knows. `no`: the server is not informed.
 */
export const INVALIDATIONS = ['async', 'sync', 'no'] as const;
export type Invalidations = (typeof INVALIDATIONS)[number];

/** `differentiated`: stores of shared files go before those of others (MFS, section 5.1). `uniform`: all go alike. */
export const STORE_PRIORITIES = ['differentiated', 'uniform'] as const;
export type StorePriorities = (typeof STORE_PRIORITIES)[number];

/** What a program gets of a file whose newest version can't be fetched (rule S4): the last committed one, flagged, or an error. */
export const AWAY_READS = ['committed', 'try-again'] as const;
export type AwayReads = (typeof AWAY_READS)[number];

/**
 * What has lost its promise is asked for before it is used. `together`: with the rest of its directory, in one message. `each`: by itself, at its
 * first use, as AFS has it (Howard et al. 1988, section 3.1).
 */
export const VALIDATIONS = ['together', 'each'] as const;
export type Validations = (typeof VALIDATIONS)[number];

export interface ConsistencySettings {
  readonly invalidations: Invalidations;
  readonly storePriorities: StorePriorities;
  readonly awayReads: AwayReads;
  readonly validations: Validations;
}

export const DEFAULT_CONSISTENCY: ConsistencySettings = {
  invalidations: 'async',
  storePriorities: 'differentiated',
  awayReads: 'committed',
  validations: 'together',
};

/** What is left out stays as it is. */
export type ConsistencyChange = {
  readonly [K in keyof ConsistencySettings]?: ConsistencySettings[K] | undefined;
};

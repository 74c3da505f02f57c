/**
 * What an access costs at each level, microseconds, and what it costs the server, load units. From Dahlin et al.,
 * "Cooperative Caching" (OSDI 1994): figures 1 and 3, and section 4.1 for the units.
 */

/** Where an access was answered. */
export const LEVELS = ['local', 'remote', 'server', 'disk'] as const;
export type Level = (typeof LEVELS)[number];

export interface CostTable {
  readonly name: string;
  /** A block from the client's own memory, or its own disk where that is the cache. */
  readonly local: number;
  /** One small message one way. */
  readonly hop: number;
  /** A block over the network between clients. */
  readonly peerBlock: number;
  /** A block over the network from the server. */
  readonly serverBlock: number;
  /** A block from the server's disk. */
  readonly disk: number;
}

/** Figure 1 with 155 Mbit/s ATM; section 3: 200 us a hop, 400 us a block. */
export const PAPER_COSTS: CostTable = {
  name: 'paper',
  local: 250,
  hop: 200,
  peerBlock: 400,
  serverBlock: 400,
  disk: 14_800,
};

/** Figure 1 with Ethernet: 400 us for small messages both ways, 6,250 us a block. */
export const ETHERNET_COSTS: CostTable = {
  ...PAPER_COSTS,
  name: 'ethernet',
  peerBlock: 6250,
  serverBlock: 6250,
};

const BLOCK_BYTES = 8192;

/**
 * Laptops in one room behind a slow line: their own disk 0.1 ms, the LAN 1 ms and 100 MB/s, the line to the server
 * 256 KB/s. What a small message takes on the line is in its block.
 */
export const TODAY_COSTS: CostTable = {
  name: 'today',
  local: 100,
  hop: 500,
  peerBlock: (BLOCK_BYTES / (100 * 1024 * 1024)) * 1e6,
  serverBlock: (BLOCK_BYTES / (256 * 1024)) * 1e6,
  disk: 100,
};

export const COST_TABLES: readonly CostTable[] = [PAPER_COSTS, ETHERNET_COSTS, TODAY_COSTS];

/** With another network: `roundTrip` microseconds to ask for a block and have it (figure 13). */
export function withNetwork(costs: CostTable, roundTrip: number): CostTable {
  const share = roundTrip / (2 * costs.hop + costs.serverBlock);
  return {
    ...costs,
    name: `${costs.name}, network ${roundTrip} us`,
    hop: costs.hop * share,
    peerBlock: costs.peerBlock * share,
    serverBlock: costs.serverBlock * share,
  };
}

/** Messages one way before the block is there, by level; figure 3 and section 2.5. */
export interface Hops {
  readonly remote: number;
  readonly server: number;
}

/** Microseconds of an access that was answered at a level. */
export function timeAt(level: Level, hops: Hops, costs: CostTable): number {
  if (level === 'local') return costs.local;
  if (level === 'remote') return costs.local + hops.remote * costs.hop + costs.peerBlock;
  const server = costs.local + hops.server * costs.hop + costs.serverBlock;
  return level === 'server' ? server : server + costs.disk;
}

/** Load units of the server: a message costs one, the block in it two more, a block from the disk two. */
export const LOAD = { message: 1, block: 3, disk: 2 } as const;

/** What has gone through each direction of a link, and what has not: now, and since it was opened. */
export interface Tally {
  readonly packets: number;
  /** With the headers of Ethernet, IP and UDP, as `tc` counts them: 42 bytes each, 62 with IPv6. */
  readonly bytes: number;
  /** What programs sent, without headers. */
  readonly payload: number;
}

/** At any time: offered = arrived + all that were dropped + waiting + flying. */
export interface DirectionStatistics {
  readonly offered: Tally;
  readonly arrived: Tally;
  readonly dropped: {
    /** The queue was full. */
    readonly queue: Tally;
    readonly loss: Tally;
    readonly outage: Tally;
    /** This machine did not take them, or their client is gone. */
    readonly unsent: Tally;
  };
  /** In the queue before the line, now. */
  readonly waiting: Tally;
  /** Past the line and on their way, now. */
  readonly flying: Tally;
}

export interface LinkStatistics {
  readonly up: DirectionStatistics;
  readonly down: DirectionStatistics;
  /** Addresses that have sent through it. */
  readonly clients: number;
  /** How often they were given other addresses. */
  readonly moves: number;
}

const FIELDS = 3;

/** In the order of `counts.rs`. */
export function directionOf(numbers: Float64Array): DirectionStatistics {
  const tally = (index: number): Tally => {
    const [packets = 0, bytes = 0, payload = 0] = numbers.subarray(index * FIELDS);
    return { packets, bytes, payload };
  };
  return {
    offered: tally(0),
    arrived: tally(1),
    dropped: { queue: tally(2), loss: tally(3), outage: tally(4), unsent: tally(5) },
    waiting: tally(6),
    flying: tally(7),
  };
}

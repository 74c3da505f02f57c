/** Limits of looking at networks, each with its reason. */
import { seconds } from '../../../shared/model/time.ts';

/** The interval at which the routes are read if no service reports changes: two small files of /proc. */
export const ROUTES_EVERY = seconds(5);

/** So are the addresses, in memory: a transfer is to go on within a second or so of another network. */
export const ADDRESSES_EVERY = seconds(0.5);

/** A bus that is away is tried again after this: it comes back with a restart of the system's own services. */
export const BUS_AGAIN = seconds(30);

/** Milliseconds for an answer on the bus: NetworkManager answers at once, or is not itself. */
export const BUS_TIMEOUT = 5000;

/** The socket of a server that is none, in a folder that the caller has made. */
import {
  startStatisticsEndpoint,
  type StatisticsEndpoint,
} from '../../server/statistics-endpoint.ts';
import type { ServerStatistics } from '../../shared/control/server-statistics.ts';
import { fakeHost } from './fake-daemon.ts';
import { listLog } from './list-log.ts';

interface Users {
  /** The user of the server, and who the kernel says asks. */
  readonly uid: number;
  readonly peer: number;
  readonly logged: string[];
}

/** Null: there can be no socket. */
export function fakeServerSocket(
  dataDir: string,
  statistics: () => ServerStatistics | null,
  { uid, peer, logged }: Users,
): Promise<StatisticsEndpoint | null> {
  const host = fakeHost({ pid: 1, uid: peer, gid: 0 });
  return startStatisticsEndpoint({ dataDir, host, log: listLog(logged), uid, statistics });
}

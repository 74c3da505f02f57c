/** Checks of the daemon and its server, as far as they can be asked. */
import { ControlClient } from '../../../shared/control/client.ts';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { formatHostPort } from '../../../shared/model/host-port.ts';
import { formatCount } from '../format.ts';
import { olderDaemon, RESTART } from '../older-daemon.ts';
import { codedError } from '../errors.ts';
import { bad, ok, warn, type Finding } from './finding.ts';
import { probeQuic, type ProbeResult } from './quic-probe.ts';
import { NOTES } from '../../../shared/wire/error-codes.ts';
import { subjectsOf } from './verdicts.ts';
import { isChosenDaemon } from '../paths/chosen-daemon.ts';
import { startRemedy } from '../paths/start-remedy.ts';

/** States of a daemon that is well itself: what is wrong is said of the server, the folder ... */
const OF_OTHERS: ReadonlySet<DaemonState> = new Set<DaemonState>(['error', 'offline']);

/** A daemon that is well answers in a few. */
const ANSWER_LIMIT_MS = 3000;

/**
 * Checks that a daemon runs on the data folder and answers within `ANSWER_LIMIT_MS`. `status` is
 * null if it does not answer.
 */
export async function checkDaemon(
  dataDir: string,
): Promise<{ finding: Finding; status: StatusSnapshot | null }> {
  let client: ControlClient | null = null;
  try {
    client = ControlClient.of(dataDir);
    const status = await client.statusAfter(0, 0, AbortSignal.timeout(ANSWER_LIMIT_MS));
    const state = OF_OTHERS.has(status.state) ? ' runs' : `, ${status.state}`;
    return { finding: ok('daemon', `process ${status.pid}${state}`), status };
  } catch (error) {
    const coded = codedError(error);
    const finding =
      coded === null
        ? bad('daemon', 'it runs and does not answer', 'end it and start it again with `godwit up`')
        : coded.code === 'not-running'
          ? warn('daemon', 'no daemon runs', startRemedy(dataDir, isChosenDaemon(dataDir)))
          : bad('daemon', coded.message, coded.remedy);
    return { finding, status: null };
  } finally {
    client?.close();
  }
}

/** Errors that the daemon shows, each with its own remedy and under what it is about. */
export function checkErrors(status: StatusSnapshot | null): Finding[] {
  return (status?.errors ?? []).map((error) => {
    const { code, message, remedy, path } = error;
    const say = NOTES.has(code) ? warn : bad;
    const [subject] = subjectsOf(error);
    return say(subject, path === null ? message : `${path}: ${message}`, remedy);
  });
}

/** A daemon goes on with the program that it was started with, whatever is installed meanwhile. Nothing to say: it is the same. */
export function checkVersion(status: StatusSnapshot | null, ours: string): Finding[] {
  const old = olderDaemon(status, ours);
  return old === null ? [] : [warn('daemon', old, RESTART)];
}

/** Conflicts that nobody has dealt with. */
export function checkConflicts(status: StatusSnapshot | null): Finding[] {
  const count = status?.conflicts.length ?? 0;
  if (count === 0) return [];
  return [warn('conflicts', formatCount(count, 'conflict'), 'see `godwit conflicts`')];
}

const PROBE_WORDS: Record<Exclude<ProbeResult, 'answers'>, readonly [string, string]> = {
  silent: ['no answer', 'check that the server runs and that this network lets UDP through'],
  refused: ['nobody listens there', 'start the server, or check the port'],
  'no-such-host': ['there is no machine of that name', 'check the name and the network'],
  'no-network': ['there is no way to it', 'check the network'],
};

/**
 * Checks that the server can be reached: by the daemon's connection, else by a QUIC probe. Nothing, where the daemon says itself what is wrong with it. `config`
 * null: the device is not paired. `status` null: no daemon answered.
 */
export async function checkServer(
  config: DaemonConfig | null,
  status: StatusSnapshot | null,
): Promise<Finding[]> {
  if (config === null) {
    return [warn('server', 'not paired with one yet', 'ask for an invitation')];
  }
  const address = formatHostPort(config.server);
  if (status?.connected === true) return [ok('server', `${address}: connected`)];
  const isSaid = status?.errors.some((error) => subjectsOf(error)[0] === 'server') ?? false;
  return isSaid ? [] : [await checkProbe(config, address, status !== null)];
}

async function checkProbe(
  { server }: DaemonConfig,
  address: string,
  isRunning: boolean,
): Promise<Finding> {
  const result = await probeQuic(server.host, server.port);
  if (result !== 'answers') {
    const [message, remedy] = PROBE_WORDS[result];
    return bad('server', `${address}: ${message}`, remedy);
  }
  if (!isRunning) {
    return ok('server', `${address}: answers over UDP; only a daemon finds out if it is yours`);
  }
  return warn(
    'server',
    `${address}: answers over UDP, and the daemon is not connected`,
    'see `godwit status` for why',
  );
}

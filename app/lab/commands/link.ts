/** `godwit link`: a slow, lossy or broken network in between, on this machine, until Ctrl-C. */
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { UdpRelay, type RelayOptions } from '../shaper/udp-relay.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseHostPort } from '../../../shared/control/addresses.ts';
import { formatHostPort, type HostPort } from '../../../shared/model/host-port.ts';
import { asUsage, parseCountOrNone } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import type { Context } from '../../cli/context.ts';
import { about } from '../../cli/errors.ts';
import {
  addConditionFlags,
  conditionsOf,
  parseMoves,
  type Move,
} from '../shaper/cli/link-flags.ts';
import { conditionsLine, liveText, reportLines } from '../shaper/cli/link-report.ts';
import { LiveLine } from '../../cli/live-line.ts';

interface LinkFlags {
  readonly listen?: HostPort;
  readonly to?: HostPort;
  readonly move?: readonly Move[];
  readonly seed?: number;
}

const LOOPBACK = '127.0.0.1';
const ANY_PORT: HostPort = { host: LOOPBACK, port: 0 };
const SHOW_MS = 1000;

const addressOf = (text: string): HostPort => asUsage(parseHostPort)(text, LOOPBACK);

/**
 * Builds `godwit link`, which relays UDP packets under the given conditions until Ctrl-C, and then
 * reports.
 */
export function linkCommand(cli: Cli): Command {
  const command = cli.plain('link', 'a UDP relay that is as slow, far and lossy as you say');
  const add = (flags: string, text: string) => flag(command, flags, text, undefined, addressOf);
  add('--listen <host:port>', 'where clients send to (default: 127.0.0.1, any port)');
  add('--to <host:port>', 'the server behind it');
  addConditionFlags(command);
  const moves = 'clients change their address: 30s,1m@127.0.0.2 (another port, another host)';
  flag(command, '--move <list>', moves, undefined, parseMoves);
  flag(command, '--seed <n>', 'the same chance again (default: 1)', undefined, parseCountOrNone);
  return cli.does<LinkFlags>(command, async (context, flags) => {
    const { to, listen = ANY_PORT, move = [], seed = 1 } = flags;
    if (to === undefined) throw new GodwitError('usage', 'link: --to HOST:PORT is missing');
    checkMoves(move);
    const up = conditionsOf({ ...flags }, 'up');
    const down = conditionsOf({ ...flags }, 'down');
    if (to.port === 0) throw new GodwitError('usage', '--to: nothing listens on port 0');
    const signal = context.interruption.claim();
    const relay = await open(to, listen, { up, down, seed });
    const began = performance.now();
    try {
      const listening = relay.address;
      context.result({ listening, to: formatHostPort(to), up, down, seed }, [
        `${listening} leads to ${formatHostPort(to)}`,
        conditionsLine('up', up),
        conditionsLine('down', down),
        'Ctrl-C ends it.',
      ]);
      await Promise.race([stay(context, relay, signal), failureOf(carryOut(move, relay, signal))]);
    } finally {
      relay.close();
    }
    const statistics = relay.statistics();
    const ms = performance.now() - began;
    context.result({ seconds: ms / 1000, ...statistics }, reportLines(statistics, ms));
  });
}

async function open(
  to: HostPort,
  listen: HostPort,
  rest: Omit<RelayOptions, 'to' | 'listen'>,
): Promise<UdpRelay> {
  try {
    return await UdpRelay.open({ to, listen, ...rest });
  } catch (error) {
    throw about(formatHostPort(isUnknownName(error, to.host) ? to : listen), addressError(error));
  }
}

const isUnknownName = (error: unknown, host: string): boolean =>
  (error as { hostname?: unknown }).hostname === host;

/** What the system says of an address that can't be. */
function addressError(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') {
    return new GodwitError('bad-address', 'not an address of this machine');
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new GodwitError('bad-address', 'no machine of that name is known');
  }
  return error;
}

function checkMoves(moves: readonly Move[]): void {
  const bad = moves.find(({ host }) => host !== null && isIP(host) === 0);
  if (bad === undefined) return;
  throw new GodwitError('usage', `--move ${bad.host}: not the address of a host`);
}

async function carryOut(
  moves: readonly Move[],
  relay: UdpRelay,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  for (const { atMs, host } of [...moves].sort((a, b) => a.atMs - b.atMs)) {
    await waitUntil(began + atMs, signal);
    if (signal.aborted) return;
    try {
      relay.moveClients(host);
    } catch (error) {
      throw about(`--move ${host ?? ''}`.trim(), addressError(error));
    }
  }
}

/** Returns early where the signal is aborted. */
async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  const ms = Math.max(0, time - performance.now());
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Never resolves; rejects where the work does. */
function failureOf(work: Promise<void>): Promise<never> {
  return new Promise((_, reject) => void work.catch(reject));
}

/** Until the end is asked for. The relay alone, a thread of its own, would not keep the process. */
async function stay(context: Context, relay: UdpRelay, signal: AbortSignal): Promise<void> {
  const line = new LiveLine(context.io.stderr);
  let before = relay.statistics();
  let last = performance.now();
  while (!signal.aborted) {
    await waitUntil(last + SHOW_MS, signal);
    const now = performance.now();
    const statistics = relay.statistics();
    if (context.shows) line.show(liveText(statistics, before, now - last));
    [before, last] = [statistics, now];
  }
  line.end();
}

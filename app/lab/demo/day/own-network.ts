/**
 * A network of the day's own, also without being root: the demo runs itself again in namespaces where it may make further ones. Their
 * names are in mounts of its own, so nothing of them is left, however it ends.
 */
import { spawnSync } from 'node:child_process';
import { runWithin } from '../run-within.ts';

/** Set where this is the second run, inside. */
const INSIDE = 'GODWIT_DEMO_OWN_NETWORK';
/** `ip netns` keeps names below /run, which may be somebody else's. */
const ROOM = [
  'mkdir -p /run/netns 2>/dev/null || { mount -t tmpfs none /run && mkdir /run/netns; }',
  'mount -t tmpfs none /run/netns',
].join(' && ');
const TRIED = 'ip netns add tried && ip netns exec tried true && ip netns delete tried';

export function isInOwnNetwork(): boolean {
  return process.env[INSIDE] === '1';
}

/** Runs `godwit ARGS` in a network of its own, and resolves to its exit code. It ends with us, and as we do. */
export function runInOwnNetwork(args: readonly string[], signal: AbortSignal): Promise<number> {
  const place = [...namespaces(), 'sh', '-c', `${ROOM} && exec "$@"`, 'sh'];
  return runWithin(place, args, { [INSIDE]: '1' }, signal);
}

/** Why there can be no network of its own here; null: there can. */
export function whyNoNetwork(): string | null {
  if (process.platform !== 'linux') return 'this is not Linux';
  for (const tool of ['ip', 'tc']) {
    if (spawnSync(tool, ['-V']).status !== 0) return `there is no \`${tool}\` (iproute2)`;
  }
  const [program = '', ...args] = [...namespaces(), 'sh', '-c', `${ROOM} && ${TRIED}`];
  const { status } = spawnSync(program, args, { stdio: 'ignore' });
  return status === 0 ? null : 'this system lets this user make no network namespaces';
}

/** Who is not root is so in a namespace of users. */
const namespaces = (): string[] => ['unshare', process.getuid?.() === 0 ? '-mn' : '-rmn'];

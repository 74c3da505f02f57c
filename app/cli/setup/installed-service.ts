/** The service of this machine's system that the package godwit-server brings: whether it is here, whose it is, and its start. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Place } from '../children.ts';

export const SERVICE = 'godwit-server';
export const SERVICE_CONFIG = '/etc/godwit-server/server.conf';
export const SERVICE_DATA = '/var/lib/godwit-server';
const UNITS = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];
const DROP_IN = '/etc/systemd/system/godwit-server.service.d/data.conf';

/** Who runs a server and its commands: what comes before them, and the owner of its data. */
export interface Runner {
  readonly place: Place;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

const MYSELF: Runner = { place: [], owner: null };

export const isInstalled = (): boolean =>
  process.platform === 'linux' &&
  UNITS.some((folder) => existsSync(join(folder, `${SERVICE}.service`)));

/** Whether a systemd is in charge of this machine, and not of another one that this is a container in. */
export const isManaged = (): boolean => existsSync('/run/systemd/system');

export const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * As whom the server of a data folder runs: its owner, and for a new folder of the service the service's user. Only root can be
 * somebody else. Root's own files in that folder would be closed to the server.
 */
export function runnerFor(dataDir: string, ofService: boolean): Runner {
  if (!isRoot()) return MYSELF;
  const found = statSync(dataDir, { throwIfNoEntry: false });
  const owner = found !== undefined && found.uid !== 0 ? found : ofService ? serviceUser() : null;
  if (owner === null) return MYSELF;
  const { uid, gid } = owner;
  const ids = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  return { place: ['setpriv', ...ids, '--'], owner: { uid, gid } };
}

/** Makes the folder if it is missing, for its owner alone. */
export function prepareData(dataDir: string, { owner }: Runner): void {
  if (owner === null) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (statSync(dataDir).uid === 0) chownSync(dataDir, owner.uid, owner.gid);
}

function serviceUser(): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, SERVICE], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : null;
  });
  if (typeof uid === 'number' && typeof gid === 'number') return { uid, gid };
  throw new GodwitError('not-found', `there is no user ${SERVICE}`, 'install godwit-server again');
}

/** The unit may write its own data folder alone: another one is named to it. */
export function allowData(dataDir: string): void {
  if (dataDir === SERVICE_DATA) return;
  mkdirSync(join(DROP_IN, '..'), { recursive: true });
  writeFileSync(DROP_IN, `[Service]\nReadWritePaths=${dataDir}\n`);
  systemctl('daemon-reload');
}

export const isActive = (): boolean =>
  spawnSync('systemctl', ['is-active', '--quiet', SERVICE]).status === 0;

/** Starts the service now and at each start of the machine. `anew`: what it runs with has changed. */
export function startService(anew: boolean): 'started' | 'restarted' | 'runs' {
  const wasActive = isActive();
  systemctl('enable', '--quiet', SERVICE);
  if (wasActive && !anew) return 'runs';
  systemctl(wasActive ? 'restart' : 'start', SERVICE);
  return wasActive ? 'restarted' : 'started';
}

function systemctl(...args: string[]): void {
  const { status, stderr, error } = spawnSync('systemctl', args, { encoding: 'utf8' });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split('\n')[0] ?? '';
  throw new GodwitError(
    'internal',
    `systemctl ${args.join(' ')}: ${why}`,
    `see \`journalctl -u ${SERVICE}\``,
  );
}

export function isOnPath(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a mount (FUSE) needs of this machine, and who uses one. Nothing here looks into a mount: only its daemon could answer. */
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const FUSE = '/dev/fuse';
export const FUSE_HELPER = 'fusermount3';
const FUSE_SETTINGS = '/etc/fuse.conf';

/** The addon of the mount, which is built apart from the other one: only who mounts needs it. */
export const MOUNT_ADDON = fileURLToPath(
  new URL(
    `../../daemon/adapters/mount/native/godwit-mount.${process.platform}-${process.arch}.node`,
    import.meta.url,
  ),
);

/** Why nothing can be mounted, and what to do. */
export interface FuseFault {
  /** What of it is wrong: a word that `godwit doctor` has for it. */
  readonly part: 'addon' | 'device' | 'helper';
  readonly why: string;
  readonly remedy: string;
}

/** What is looked at. A test has another machine. */
export interface FuseMachine {
  readonly platform: string;
  readonly isRoot: boolean;
  readonly hasAddon: () => boolean;
  readonly isUsable: (path: string) => boolean;
  readonly exists: (path: string) => boolean;
  readonly settings: () => string;
  readonly path: string;
}

/** This machine. */
export const FUSE_HERE: FuseMachine = {
  platform: process.platform,
  isRoot: process.geteuid?.() === 0,
  hasAddon: () => existsSync(MOUNT_ADDON),
  isUsable,
  exists: existsSync,
  settings: () => readFileSync(FUSE_SETTINGS, 'utf8'),
  path: process.env['PATH'] ?? '',
};

/** All that stands in the way of a mount, the first thing to be mended first. */
export function fuseFaults(machine = FUSE_HERE): FuseFault[] {
  const { platform, isRoot, path, exists } = machine;
  const instead = 'or use `--front-end folder`';
  if (platform !== 'linux') {
    return [{ part: 'device', why: 'a mount needs Linux', remedy: 'use `--front-end folder`' }];
  }
  const faults: FuseFault[] = [];
  if (!machine.hasAddon()) {
    const remedy = `run \`node build/mount-native.mjs\` in the clone, ${instead}`;
    faults.push({ part: 'addon', why: 'the part of Godwit that mounts is not built', remedy });
  }
  if (!machine.isUsable(FUSE)) {
    const isThere = exists(FUSE);
    const why = isThere ? 'it is not for this user' : 'it is not there';
    const remedy = isThere
      ? `run: sudo chmod 666 ${FUSE}; ${instead}`
      : `load the module (sudo modprobe fuse), in a container give it the device; ${instead}`;
    faults.push({ part: 'device', why: `${FUSE}: ${why}: nothing can be mounted`, remedy });
  }
  const places = path.split(delimiter).filter((each) => each !== '');
  if (!places.some((place) => exists(join(place, FUSE_HELPER)))) {
    const who = isRoot ? 'a mount could not end with its daemon' : 'only root could mount';
    const why = `${FUSE_HELPER} is not installed: ${who}`;
    faults.push({ part: 'helper', why, remedy: `install the package fuse3, ${instead}` });
  }
  return faults;
}

/** Whether other users may be let in by who runs this: without it the mount can't end with its daemon. */
export function mayAllowOther(machine = FUSE_HERE): boolean {
  if (machine.isRoot) return true;
  try {
    return /^\s*user_allow_other\b/m.test(machine.settings());
  } catch {
    return false;
  }
}

/** A process that has something of a mount open. */
export interface Holder {
  readonly pid: number;
  /** The name of its program. */
  readonly program: string;
}

const LINKS = ['cwd', 'root', 'exe'];

/** Who holds a mount: has a file in it open, or is in one of its folders. Those of other users are seen by root alone. */
export function holdersOf(path: string, proc = '/proc'): Holder[] {
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const own = join(proc, pid);
    if (Number(pid) === process.pid || !holds(own, path)) return [];
    return [{ pid: Number(pid), program: programOf(own) }];
  });
}

function holds(own: string, path: string): boolean {
  const isIn = (target: string): boolean => target === path || target.startsWith(`${path}/`);
  const descriptors = namesIn(join(own, 'fd')).map((name) => join('fd', name));
  return [...LINKS, ...descriptors].some((link) => isIn(targetOf(join(own, link))));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** It may have gone since, or be of somebody else. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function programOf(own: string): string {
  try {
    return readFileSync(join(own, 'comm'), 'utf8').trim();
  } catch {
    return 'a program that has ended';
  }
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

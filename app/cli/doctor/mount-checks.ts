/** Checks of what a mount (FUSE) needs, for who has one; for others, whether they could have one. */
import { release } from 'node:os';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import {
  FUSE,
  FUSE_HELPER,
  FUSE_HERE,
  fuseFaults,
  holdersOf,
  mayAllowOther,
  type FuseFault,
  type FuseMachine,
  type Holder,
} from '../../../shared/system/fuse.ts';
import { bad, ok, warn, type Finding } from './finding.ts';

/** The first kernel that can pass reads and writes by the daemon. */
const PASSTHROUGH = { major: 6, minor: 9 };

/** What is looked at. A test has another machine. */
export interface MountMachine extends FuseMachine {
  readonly kernel: string;
  readonly holders: (path: string) => readonly Holder[];
}

const HERE: MountMachine = { ...FUSE_HERE, kernel: release(), holders: holdersOf };

const WELL: Readonly<Record<FuseFault['part'], string>> = {
  addon: 'the part of Godwit that mounts is there',
  device: `${FUSE} can be used`,
  helper: `${FUSE_HELPER} is installed`,
};

/** Checks the parts of a mount, each with its remedy; where a folder is kept it is one line. */
export function checkMount(
  { frontEnd, folder }: Pick<DaemonConfig, 'frontEnd' | 'folder'>,
  machine: MountMachine = HERE,
): Finding[] {
  const faults = fuseFaults(machine);
  if (frontEnd !== 'mount') {
    const [fault] = faults;
    const text =
      fault === undefined ? 'FUSE can be used here (`godwit up --front-end mount`)' : fault.why;
    return [ok('mount', `not used; ${text}`)];
  }
  const parts = (['addon', 'device', 'helper'] as const).map((part) => {
    const fault = faults.find((each) => each.part === part);
    return fault === undefined
      ? ok(`mount ${part}`, WELL[part])
      : bad(`mount ${part}`, fault.why, fault.remedy);
  });
  return [...parts, checkOthers(machine), checkPassthrough(machine), ...heldBy(folder, machine)];
}

function checkOthers(machine: MountMachine): Finding {
  const check = 'mount others';
  if (machine.isRoot) return ok(check, 'the daemon is root: others are let in as the modes say');
  if (mayAllowOther(machine)) {
    return ok(check, 'user_allow_other is set: the mount ends with its daemon');
  }
  return warn(
    check,
    'user_allow_other is not set: a mount whose daemon was killed stays until the next start',
    'add the line user_allow_other to /etc/fuse.conf',
  );
}

/** Nothing is to be done for it: it is told because it bounds how fast a mount is. */
function checkPassthrough({ kernel }: MountMachine): Finding {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  const isNew =
    major > PASSTHROUGH.major || (major === PASSTHROUGH.major && minor >= PASSTHROUGH.minor);
  const able = isNew
    ? `Linux ${kernel} has passthrough (for root), and this version of Godwit does not use it`
    : `Linux ${kernel} has no passthrough`;
  return ok('mount passthrough', `${able}: reads and writes go through the daemon`);
}

function heldBy(folder: string | null, { holders }: MountMachine): Finding[] {
  const all = folder === null ? [] : holders(folder);
  if (all.length === 0) return [];
  const names = all.map(({ pid, program }) => `${program} (${pid})`).join(', ');
  return [ok('mount users', `used by ${names}`)];
}

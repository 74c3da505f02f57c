/** Every family of faults, by the names that `--faults` takes. */
import { access } from './access.ts';
import { serverSuspend, suspend, wallJump } from './clocks.ts';
import { addressChange, connectionDeath, serverReaddressed } from './connection-death.ts';
import { crashAny, crashAt, crashStart } from './crash.ts';
import { bitRot, full, readError, slowDisk } from './disk-trouble.ts';
import { commands } from './commands.ts';
import { copied } from './copied.ts';
import type { FaultFamily } from './fault.ts';
import { follower } from './follower.ts';
import { halfWay } from './half-way.ts';
import { heavyAttributes } from './heavy-attributes.ts';
import { hostile } from './hostile.ts';
import { metered } from './metered.ts';
import { mounts } from './mounts.ts';
import { locks } from './locks.ts';
import { networkCut } from './network-cut.ts';
import { networkFlap } from './network-flap.ts';
import { jitter, packetLoss, rateTrace } from './network-path.ts';
import { observer } from './observer.ts';
import { past } from './past.ts';
import { daemonStop, pause, serverStop } from './planned-stops.ts';
import { daemonEnd, serverEnd } from './process-end.ts';
import { queue } from './queue.ts';
import { quota } from './quota.ts';
import { replyLost } from './reply-lost.ts';
import { restored } from './restored.ts';
import { deviceRevoked, rightsTaken } from './rights.ts';
import { logFails, metaFails } from './store-trouble.ts';
import { rudeProgram } from './rude-program.ts';
import { sharing } from './sharing.ts';
import { shortOfRoom } from './short-of-room.ts';
import { snapshots } from './snapshots.ts';
import { streamsFail } from './streams-fail.ts';
import { acknowledgedCrash, commitCrash } from './step-crash.ts';
import { wishes } from './wishes.ts';

export const FAULTS: readonly FaultFamily[] = [
  networkCut,
  networkFlap,
  packetLoss,
  jitter,
  rateTrace,
  connectionDeath,
  addressChange,
  serverReaddressed,
  replyLost,
  halfWay,
  wallJump,
  suspend,
  serverSuspend,
  daemonEnd,
  serverEnd,
  crashAt,
  crashAny,
  crashStart,
  full,
  readError,
  bitRot,
  slowDisk,
  metaFails,
  logFails,
  hostile,
  commands,
  observer,
  follower,
  heavyAttributes,
  rudeProgram,
  acknowledgedCrash,
  commitCrash,
  pause,
  daemonStop,
  serverStop,
  rightsTaken,
  deviceRevoked,
  quota,
  restored,
  copied,
  past,
  shortOfRoom,
  streamsFail,
  queue,
  metered,
  wishes,
];

/** Those that a run has only where they are named; they are drawn beside the others, each from a random stream of its own. */
export const NAMED_FAULTS: readonly FaultFamily[] = [locks, snapshots, access, mounts, sharing];

export const ALL_FAULTS: readonly FaultFamily[] = [...FAULTS, ...NAMED_FAULTS];

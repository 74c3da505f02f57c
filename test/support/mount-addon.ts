/** The mount's addon for a test: built when it is wanted first, since nothing else needs it. */
import { accessSync, constants } from 'node:fs';
import { ensureMountNative } from '../../build/mount-native.mjs';
import { loadMount, type NativeMount } from '../../daemon/adapters/mount/native-mount.ts';

/** How long a first build may take, in milliseconds, on a busy machine. */
export const BUILD_LIMIT_MS = 600_000;

export function builtMount(): NativeMount {
  ensureMountNative();
  return loadMount();
}

/** Why nothing can be mounted on this machine; null: it can. */
export function noFuse(): string | null {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `nothing is mounted here: ${(error as Error).message}`;
  }
}

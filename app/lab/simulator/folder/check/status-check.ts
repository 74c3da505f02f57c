/**
 * Checker: the status is true. At rest it says "synced" only where nothing differs that the daemon itself gives a reason for, every state has its reason
 * (../../check/reasons.ts), and nothing waits for ever without one.
 */
import { fault, standing } from '../../check/reasons.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { CheckedRun } from './checked-run.ts';

const CHECKER = 'the status is true';

/** `differs`: the folder shows other than the volume, and an entry of its status says why. */
export function lookAtStatus(
  { find }: Pick<CheckedRun, 'find'>,
  {
    name,
    client,
  }: Pick<FolderMachine, 'name'> & {
    readonly client: Pick<FolderMachine['client'], 'status'>;
  },
  differs: boolean,
): void {
  const { status } = client;
  const wrong = fault(status) ?? standing(status);
  if (wrong !== null) find(CHECKER, `${name} ${wrong}`);
  if (differs && status.state === 'idle') {
    find(CHECKER, `${name} says that all is synced, and lists what differs`);
  }
}

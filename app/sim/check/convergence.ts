/** Checker: when faults have stopped and everything is settled, every laptop shows the same. */
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Finding } from './finding.ts';

/** What somebody shows: path to status, in order of paths. */
export interface Shown {
  readonly by: string;
  readonly tree: ReadonlyMap<string, VnodeStatus>;
}

const MOST_DIFFERENCES = 10;

export function checkConvergence(shown: readonly Shown[]): Finding[] {
  const [first, ...others] = shown;
  if (first === undefined) return [];
  return others.flatMap((other) => differences(first, other)).slice(0, MOST_DIFFERENCES);
}

function differences(one: Shown, other: Shown): Finding[] {
  const paths = new Set([...one.tree.keys(), ...other.tree.keys()]);
  const findings: Finding[] = [];
  for (const path of [...paths].sort()) {
    const [left, right] = [one, other].map(({ tree }) => described(tree.get(path)));
    if (left === right) continue;
    findings.push({
      checker: 'convergence',
      text: `${path}: ${one.by} has ${left}, ${other.by} has ${right}`,
    });
  }
  return findings;
}

function described(status: VnodeStatus | undefined): string {
  if (status === undefined) return 'nothing';
  const { fid, kind, mode, mtime, size, version, digest, target, links, xattrs } = status;
  return JSON.stringify([fid, kind, mode, mtime, size, version, digest, target, links, xattrs]);
}

/**
 * Makes sure that there is a Node new enough to run the product.
 *
 * The packaged one may be there and yet not start (it needs glibc). That is tried once after an
 * installation; a mark then sends everybody to the system's Node.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import {
  findNode,
  isNewEnough,
  NEEDED_TLS,
  OLDEST_NODE,
  packagedNode,
  SYSTEM_NODE_MARK,
} from '../node-path.mjs';

/**
 * Throws an Error with one line if no Node here is new enough. `thorough`: tries to start the
 * packaged one.
 */
export function checkNode({ thorough }) {
  if (thorough) tryPackagedNode();
  if (findNode() !== null) return;
  throw new Error(
    `no Node ${OLDEST_NODE} with ${NEEDED_TLS} here: there is no packaged one for ` +
      `${process.platform}-${process.arch}, and the system's is ${process.version} with ` +
      `${process.versions.openssl ?? 'none'}. Install Node ${OLDEST_NODE}.5 or newer.`,
  );
}

function tryPackagedNode() {
  rmSync(SYSTEM_NODE_MARK, { force: true });
  const path = packagedNode();
  if (path === null) return;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (isNewEnough(stdout?.trim() ?? '')) return;
  writeFileSync(SYSTEM_NODE_MARK, 'The packaged Node does not start on this machine.\n');
}

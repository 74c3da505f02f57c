/** Which installed packages run with the product: those of the lock file that are not for development alone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Their folders, such as `node_modules/zod`; what is optional and for another platform is not there. */
export function productionPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = Object.entries(packages).filter(
    ([path, entry]) => path !== '' && !isForDevelopment(entry),
  );
  // Those inside another one go with it.
  return wanted
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf('node_modules/') === 0)
    .filter((path) => existsSync(join(root, path)))
    .sort();
}

const isForDevelopment = ({ dev, devOptional }) => dev === true || devOptional === true;

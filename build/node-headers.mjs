/**
 * The headers of OpenSSL that the addon is built with: those of the Node that comes with the packages, else those beside the system's Node.
 * What they declare is in the Node that loads the addon.
 *
 * Within OpenSSL 3 a later version has all that an earlier one has (its policy of versions), so the headers may be older than the Node,
 * and a Node with another number in front needs a look at tls/node_tls.c.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasTls, NEEDED_TLS, packagedFolder } from './node-path.mjs';

/** A folder to include from, and the version, such as `3.5.8`. Throws an Error with one clear message. */
export function nodeHeaders() {
  const places = [packagedFolder(), dirname(dirname(realpathSync(process.execPath)))];
  const found = places
    .filter((place) => place !== null)
    .map((place) => join(place, 'include', 'node'))
    .map((folder) => ({ folder, version: versionIn(folder) }));
  const usable = found.find(({ version }) => version !== null && hasTls(version));
  if (usable !== undefined) return usable;
  const had = found.filter(({ version }) => version !== null);
  const why = had.map(({ folder, version }) => `${folder} has those of ${version}`).join(', ');
  throw new Error(
    `no headers of ${NEEDED_TLS} for the native addon: ${why || 'there is no include/node beside Node'}. ` +
      'Run `npm run setup`, which installs the Node of the lock file.',
  );
}

/** Null: there are none. Node has a set of them for each platform, of one version. */
function versionIn(folder) {
  const places = ['opensslv.h', 'archs/linux-x86_64/asm/include/openssl/opensslv.h'];
  for (const place of places) {
    const file = join(folder, 'openssl', place);
    if (!existsSync(file)) continue;
    const version = /define OPENSSL_VERSION_STR "([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1];
    if (version !== undefined) return version;
  }
  return null;
}

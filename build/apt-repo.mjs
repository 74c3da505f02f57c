/**
 * Makes an apt repository of Debian packages: a folder that a web server, or a disk, hands out as it is. Packages that are in it already
 * stay, so that each run adds a version.
 *
 *   node build/apt-repo.mjs DIR [--packages DIR] [--key FINGERPRINT] [--suite NAME] [--url URL]
 *
 * `--url`: where DIR will be handed out. Then it holds `install.sh` as well, with which a machine adds it and installs in one line.
 * `--packages`: where the .deb files are (.cache/packages). `--key`: a secret key of the user's gpg that signs it, or the only one there is;
 * without a key or a gpg the repository is not signed, and apt wants `[trusted=yes]`. Needs dpkg-deb.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { installScript, sourcesText } from './apt/install-script.mjs';
import { fail, ROOT } from './node-path.mjs';

const COMPONENT = 'main';
const ARCHITECTURES = ['amd64', 'arm64'];
const POOL = `pool/${COMPONENT}/g/godwit`;
const KEYRING = 'godwit-archive-keyring.gpg';

/** `key`: a fingerprint, `url`: where it is handed out; or undefined. Gives what people write into their sources. */
export function makeRepository({ out, packages, key, url, suite = 'stable', date = new Date() }) {
  const place = url === undefined ? undefined : httpUrl(url);
  const pool = join(out, POOL);
  mkdirSync(pool, { recursive: true });
  for (const name of debsIn(packages)) copyWhole(join(packages, name), join(pool, name));
  const rows = debsIn(pool).map((name) => rowOf(join(pool, name), `${POOL}/${name}`));
  if (rows.length === 0) {
    throw new Error(
      `${packages}: there is no package; make one with \`node build/package-deb.mjs\``,
    );
  }
  const dist = join(out, 'dists', suite);
  const indices = ARCHITECTURES.flatMap((architecture) => {
    const folder = `${COMPONENT}/binary-${architecture}`;
    const text = rows
      .filter((row) => row.architecture === architecture || row.architecture === 'all')
      .map((row) => row.text)
      .join('\n');
    return [
      [`${folder}/Packages`, Buffer.from(text)],
      [`${folder}/Packages.gz`, gzipSync(text, { level: 9 })],
    ];
  });
  for (const [path, contents] of indices) writeWhole(join(dist, path), contents);
  // Last: an index that it does not name yet is not asked for.
  writeWhole(join(dist, 'Release'), release(suite, indices, date));
  const fingerprint = signed(dist, out, key);
  if (place !== undefined) writeForMachines(out, { url: place, suite, fingerprint });
  return { suite, fingerprint, packages: rows.length };
}

/** `fingerprint`: of the key that has signed it; null: nothing has, which is refused: anybody on the way could change it. */
function writeForMachines(out, { url, suite, fingerprint }) {
  if (fingerprint === null)
    throw new Error('--url: what is handed out must be signed, and gpg has no secret key here');
  const key = run('gpg', ['--batch', '--armor', '--export', fingerprint]);
  const about = { url, suite, key };
  writeWhole(join(out, 'godwit.sources'), sourcesText(about));
  writeWhole(join(out, 'install.sh'), installScript(about));
}

/** Without a slash at its end. It becomes a part of a script that root runs, so it is no free text. */
function httpUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = /^https?:$/.test(url?.protocol ?? '') && /^[\w:/.%~[\]-]+$/.test(url.href);
  if (!isPlain) throw new Error(`${text}: not an address such as https://files.example.org/godwit`);
  return url.href.replace(/\/+$/, '');
}

const debsIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.deb'))
        .sort()
    : [];

function rowOf(file, path) {
  const control = run('dpkg-deb', ['-f', file]).trimEnd();
  const contents = readFileSync(file);
  const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? '';
  const own = [
    `Filename: ${path}`,
    `Size: ${statSync(file).size}`,
    `SHA256: ${hash('sha256', contents)}`,
  ];
  return { architecture: field('Architecture'), text: `${control}\n${own.join('\n')}\n` };
}

const hash = (kind, contents) => createHash(kind).update(contents).digest('hex');

function release(suite, indices, date) {
  const sums = indices.map(([path, text]) => ` ${hash('sha256', text)} ${text.length} ${path}`);
  return [
    'Origin: Godwit',
    'Label: Godwit',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Architectures: ${ARCHITECTURES.join(' ')}`,
    `Components: ${COMPONENT}`,
    'Description: Godwit, a synced folder for laptops that roam',
    `Date: ${date.toUTCString()}`,
    'SHA256:',
    ...sums,
    '',
  ].join('\n');
}

/** The fingerprint of the key, or null: an old signature is of an older list, and goes. */
function signed(dist, out, key) {
  const [clear, apart] = [join(dist, 'InRelease'), join(dist, 'Release.gpg')];
  const fingerprint = keyOf(key);
  if (fingerprint === null) {
    for (const file of [clear, apart, join(out, KEYRING)]) rmSync(file, { force: true });
    return null;
  }
  const gpg = (to, ...args) => {
    const part = `${to}.part`;
    run('gpg', ['--batch', '--yes', '--local-user', fingerprint, '--output', part, ...args]);
    renameSync(part, to);
  };
  gpg(apart, '--armor', '--detach-sign', join(dist, 'Release'));
  gpg(clear, '--clearsign', join(dist, 'Release'));
  gpg(join(out, KEYRING), '--export', fingerprint);
  return fingerprint;
}

/** Throws where one was named that is not here, or where there are several and none was named. */
function keyOf(key) {
  const asked = key === undefined ? [] : [key];
  const { status, stdout, error } = spawnSync(
    'gpg',
    ['--batch', '--with-colons', '--list-secret-keys', ...asked],
    { encoding: 'utf8' },
  );
  if (error !== undefined || (key !== undefined && status !== 0)) {
    if (key === undefined) return null;
    throw new Error(error === undefined ? `${key}: gpg has no such secret key` : 'there is no gpg');
  }
  // The first fingerprint after a secret key is that of the key; those of its subkeys follow.
  const found = [...stdout.matchAll(/^sec:.*\n(?:(?!fpr:).*\n)*fpr:+([0-9A-F]+):/gm)];
  if (found.length > 1) throw new Error('gpg has several secret keys: name one with --key');
  return found[0]?.[1] ?? null;
}

/** Under its name it is whole. */
function writeWhole(file, contents) {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(`${file}.part`, contents);
  renameSync(`${file}.part`, file);
}

function copyWhole(from, to) {
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
}

const installLine = (url) =>
  `wget -qO- ${httpUrl(url)}/install.sh | sudo sh -s godwit-desktop   # or godwit-server, godwit\n`;

/** For a repository whose place is not known yet. */
function usageText({ suite, fingerprint }) {
  const trust = fingerprint === null ? 'Trusted: yes' : `Signed-By: /usr/share/keyrings/${KEYRING}`;
  return `# /etc/apt/sources.list.d/godwit.sources\nTypes: deb\nURIs: https://YOUR.HOST/godwit\nSuites: ${suite}\nComponents: ${COMPONENT}\n${trust}\n`;
}

if (process.argv[1] === import.meta.filename) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        packages: { type: 'string', default: join(ROOT, '.cache', 'packages') },
        key: { type: 'string' },
        suite: { type: 'string' },
        url: { type: 'string' },
      },
    });
    const [out] = positionals;
    if (out === undefined)
      throw new Error('usage: node build/apt-repo.mjs DIR [--key FINGERPRINT]');
    const { suite, key, url } = values;
    const made = makeRepository({
      ...{ out: resolve(out), packages: resolve(values.packages), key, url },
      ...(suite === undefined ? {} : { suite }),
    });
    if (made.fingerprint === null) {
      process.stderr.write(
        'godwit: not signed: gpg has no secret key here; apt will not trust it by itself\n',
      );
    }
    process.stdout.write(
      `${made.packages} packages in ${resolve(out)}\n\n${url === undefined ? usageText(made) : installLine(url)}`,
    );
  } catch (error) {
    fail(error.message);
  }
}

/** What Debian wants to read in /usr/share/doc: the licences of all that is inside, and a changelog. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../../node-path.mjs';

const APACHE =
  'On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0.';
const LINE = `\n${'-'.repeat(76)}\n\n`;

/** Of what is linked into the addon; its crates are in Cargo.lock. */
const IN_ADDON = `The native addon has in it, as compiled code:

MsQuic                     MIT               Copyright Microsoft Corporation
Crates of Rust             MIT or Apache-2.0

Its TLS is that of OpenSSL in Node.js, whose licence is below.
`;

/** Of our own code alone. */
export const OWN_COPYRIGHT = `Godwit
Copyright 2026 The authors of Godwit
Licence: Apache-2.0

${APACHE}
`;

/** With each bundled npm package, by its own words. `folders`: of these packages, from the root of the clone. */
export function bundledCopyright(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license = 'see below' } = manifestOf(folder);
    const texts = licencesIn(folder).map((file) => textOf(join(ROOT, folder, file)));
    return `${name} ${version}\nLicence: ${license}\n\n${texts.join('\n\n')}\n`;
  });
  const opening = `${OWN_COPYRIGHT}${LINE}${IN_ADDON}${LINE}The packages of npm that are in /usr/lib/godwit/node_modules:\n`;
  return [opening, ...parts].join(LINE);
}

/** The text that Debian has itself is named alone. */
function textOf(file) {
  const text = readFileSync(file, 'utf8').replaceAll('\r', '').trim();
  const isApache = /^\s*Apache License\s+Version 2\.0/.test(text);
  return isApache ? APACHE : text;
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

export const isLicence = (path) =>
  /^(licen[sc]e|copying|notice)(-[a-z]+)?(\.(md|txt|markdown))?$/i.test(basename(path));

const licencesIn = (folder) => readdirSync(join(ROOT, folder)).filter(isLicence).sort();

/** What lintian says and is meant so, each with its reason. */
export const OVERRIDES = {
  godwit: [
    [
      'Node.js comes along, as it is released: Debian 12 has one that is too old.',
      [
        'embedded-library zlib *',
        'hardening-no-pie *',
        'hardening-no-bindnow *',
        'hardening-no-fortify-functions *',
        'spelling-error-in-binary *',
      ],
    ],
    [
      'Its licence has the texts of its parts in it.',
      ['copyright-file-contains-full-apache-2-license', 'old-fsf-address-in-copyright-file'],
    ],
    [
      'Packages of npm are those that the program was tested with.',
      ['embedded-javascript-library *', 'repeated-path-segment *'],
    ],
    ['A program starts them; nobody else does.', ['script-not-executable *']],
    [
      'The page in the browser has them.',
      ['image-file-in-usr-lib *', 'package-contains-documentation-outside-usr-share-doc *'],
    ],
  ],
  'godwit-server': [
    [
      'Systems without systemd start it themselves.',
      ['package-supports-alternative-init-but-no-init.d-script *'],
    ],
  ],
  'godwit-desktop': [
    [
      'That command is in the package godwit, on which it depends.',
      ['desktop-command-not-in-package *'],
    ],
    ['The browser shows it.', ['package-contains-documentation-outside-usr-share-doc *']],
  ],
  'godwit-lab': [
    ['Commands of godwit, each with a page.', ['spare-manual-page *']],
    [
      'Those who work on the laboratory read it there.',
      ['package-contains-documentation-outside-usr-share-doc *'],
    ],
  ],
};

/** The text of the file that lintian reads. */
export const overridesText = (name) =>
  OVERRIDES[name]
    .map(([why, tags]) => `# ${why}\n${tags.map((tag) => `${name}: ${tag}\n`).join('')}`)
    .join('');

/** Debian's form: one entry, of this version. What is new in words of users is in CHANGELOG.md, which comes along. */
export function changelog({ version, maintainer, date }) {
  const time = new Date(date * 1000).toUTCString().replace('GMT', '+0000');
  return `godwit (${version}) unstable; urgency=medium

  * Version ${version}. CHANGELOG.md in this folder says what is new.

 -- ${maintainer}  ${time}
`;
}

/** Seconds since 1970: of the last commit, so that the same sources make the same package. */
export function sourceDate() {
  const said = process.env['SOURCE_DATE_EPOCH'];
  if (said !== undefined && /^\d+$/.test(said)) return Number(said);
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 ? Number(stdout) : Math.floor(Date.now() / 1000);
}

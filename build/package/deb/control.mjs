/** DEBIAN/control of each package. All are of one build, and need one another in the same version. */

const NEEDS = 'libc6 (>= 2.31), libgcc-s1, libstdc++6 (>= 9)';
const ELECTRON_NEEDS = 'libasound2, libatk-bridge2.0-0, libgbm1, libgtk-3-0, libnss3';

/**
 * By the names of the packages. `about`: version, architecture (of this machine), electron (whether it comes along), addon (whether the
 * laboratory has one of its own).
 */
export const CONTROLS = {
  godwit: ({ architecture }) => ({
    Architecture: architecture,
    Section: 'net',
    Depends: NEEDS,
    Recommends: 'ca-certificates',
    Suggests: 'godwit-desktop, godwit-server, godwit-lab',
    Description: described(
      'synced folder for laptops that roam',
      'A folder that stays the same on all laptops of a person, through a server of their own. Nobody waits behind a background upload, nothing is lost, and nothing stale is shown as fresh.',
      'This package has the daemon, the command line, the page for a browser, and the Node.js that they run on.',
    ),
  }),
  'godwit-server': ({ version }) => ({
    Architecture: 'all',
    Section: 'net',
    Depends: `godwit (= ${version}), systemd | systemd-standalone-sysusers | systemd-sysusers`,
    Recommends: 'systemd',
    Description: described(
      'server of Godwit, a synced folder',
      'A service of systemd with a user of its own, its settings in /etc/godwit-server, and the command godwit-server, which sets it up and invites laptops.',
      'The program itself is in the package godwit.',
    ),
  }),
  'godwit-desktop': ({ version, architecture, electron }) => ({
    Architecture: electron === undefined ? 'all' : architecture,
    Section: 'net',
    Depends: `godwit (= ${version}), xdg-utils${electron === undefined ? '' : `, ${ELECTRON_NEEDS}`}`,
    Recommends: 'desktop-file-utils, libnotify-bin, shared-mime-info, zenity | kdialog',
    Suggests: `${electron === undefined ? 'electron, ' : ''}python3-nautilus, nemo-python, wl-clipboard, xclip`,
    Description: described(
      'window and panel icon of Godwit, a synced folder',
      'An entry in the menu, an icon in the panel where there is an Electron, and a window in the browser where there is none. A placeholder is fetched by a double click. Nautilus, Nemo and Dolphin get a menu, Nautilus and Nemo signs on files.',
      electron === undefined
        ? 'This build brings no Electron. It uses the one on the path.'
        : 'This build brings the Electron that it needs.',
    ),
  }),
  'godwit-lab': ({ version, architecture, addon }) => ({
    Architecture: addon === null ? 'all' : architecture,
    Section: 'net',
    Depends: `godwit (= ${version})`,
    Description: described(
      'laboratory of Godwit, a synced folder',
      'Replays of traces, a link shaper, benchmarks, a demonstration and a simulator. Nobody needs it to keep a folder in sync.',
    ),
  }),
};

/** The text of DEBIAN/control. `bytes`: the installed size. */
export function controlText(name, about, bytes) {
  const { Architecture, Section, ...rest } = CONTROLS[name](about);
  const fields = {
    Package: name,
    Source: name === 'godwit' ? undefined : 'godwit',
    Version: about.version,
    Architecture,
    Maintainer: about.maintainer,
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    ...withoutDescription(rest),
    Section,
    Priority: 'optional',
    Homepage: about.homepage,
    Description: rest.Description,
  };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');
}

/** As its control file has it: `all` is installed on any machine. */
export const architectureOf = (name, about) => CONTROLS[name](about).Architecture;

function withoutDescription(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'Description'));
}

/** Paragraphs are told apart by a dot; lines are short. */
function described(title, ...paragraphs) {
  return [title, ...paragraphs.flatMap((text, at) => [...(at > 0 ? ['.'] : []), ...folded(text)])]
    .join('\n ')
    .trim();
}

const COLUMNS = 76;

/** The lines of a text, each with so many characters at most. */
export function folded(text, columns = COLUMNS) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > columns) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

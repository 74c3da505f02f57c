/** The texts of the Debian package. */

const HOME = '/usr/lib/godwit';
const MAINTAINER = 'The Godwit project <godwit@localhost>';

/**
 * The text of DEBIAN/control. `bytes`: the installed size; `electron`: whether the tray is inside.
 */
export function CONTROL({ version, description, architecture, bytes, electron }) {
  const needs = electron === undefined ? '' : ', libgtk-3-0, libnss3, libgbm1, libasound2';
  const fields = [
    ['Package', 'godwit'],
    ['Version', version],
    ['Architecture', architecture],
    ['Maintainer', MAINTAINER],
    ['Section', 'net'],
    ['Priority', 'optional'],
    ['Installed-Size', String(Math.ceil(bytes / 1024))],
    ['Depends', `libc6 (>= 2.31), libstdc++6${needs}`],
    ['Recommends', 'xdg-utils, shared-mime-info, desktop-file-utils'],
    ['Suggests', electron === undefined ? 'godwit-lab, electron' : 'godwit-lab'],
    ['Description', `Godwit, a synced folder\n ${description}`],
  ];
  return controlText(fields);
}

/** Both are of one build: the laboratory sees into the product. */
export function LABORATORY_CONTROL({ version, architecture, bytes }) {
  const fields = [
    ['Package', 'godwit-lab'],
    ['Version', version],
    ['Architecture', architecture],
    ['Maintainer', MAINTAINER],
    ['Section', 'net'],
    ['Priority', 'optional'],
    ['Installed-Size', String(Math.ceil(bytes / 1024))],
    ['Depends', `godwit (= ${version})`],
    [
      'Description',
      'laboratory of Godwit, a synced folder\n Replays of traces, a link shaper, benchmarks, a demonstration and a simulator: godwit lab --help.',
    ],
  ];
  return controlText(fields);
}

const controlText = (fields) => fields.map(([name, value]) => `${name}: ${value}\n`).join('');

/** `godwitd` runs the daemon without the CLI. */
export const LAUNCHERS = {
  godwit: script('build/godwit.mjs'),
  godwitd: script('daemon/main.ts'),
};

function script(entry) {
  return `#!/bin/sh
exec "$(ls -d ${HOME}/node_modules/node-linux-*/bin/node)" ${HOME}/${entry} "$@"
`;
}

/**
 * The daemon of a user. It starts if its user has paired this device; V8 writes the code it runs, so memory may be written and run.
 */
export const USER_UNIT = `[Unit]
Description=Godwit, a synced folder
Documentation=file:${HOME}/README.md
# One of them: %S is the folder of settings before systemd 254 (Debian 12), and that of state from there on.
ConditionPathExists=|%h/.local/state/godwit/default/config.json
ConditionPathExists=|%S/godwit/default/config.json
After=network.target

[Service]
ExecStart=/usr/bin/godwit up --foreground
Restart=on-failure
RestartSec=5
# 2: it was called wrongly; 7: it can't go on. Neither passes by itself.
RestartPreventExitStatus=2 7

[Install]
WantedBy=default.target
`;

/** What opens a placeholder: it has a type of its own, by its ending. */
export const OPEN_ENTRY = `[Desktop Entry]
Type=Application
Name=Godwit: fetch and open
Comment=Fetches the file that a placeholder stands for, and opens it
Exec=/usr/bin/godwit open %f
Icon=godwit
Terminal=false
NoDisplay=true
MimeType=application/x-godwit-placeholder;
`;

export const PLACEHOLDER_TYPE = `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-godwit-placeholder">
    <comment>file that is on the Godwit server</comment>
    <sub-class-of type="text/plain"/>
    <generic-icon name="godwit"/>
    <glob pattern="*.godwit"/>
  </mime-type>
</mime-info>
`;

export const DESKTOP_ENTRY = `[Desktop Entry]
Type=Application
Name=Godwit
Comment=A synced folder for laptops that roam
Exec=/usr/bin/godwit tray
Icon=godwit
Terminal=false
Categories=Network;FileTransfer;
`;

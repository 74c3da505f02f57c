/** The files that put the actions of `file-action` into the menus of Nemo, Dolphin and Nautilus, by their paths in the package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = '/usr/lib/godwit-desktop/file-action';

/** `isSingle`: for one file at a time. */
const ACTIONS = [
  { id: 'state', name: 'State', icon: 'dialog-information', isSingle: true },
  { id: 'versions', name: 'Show versions', icon: 'document-open-recent', isSingle: true },
  { id: 'restore', name: 'Bring back a version', icon: 'document-revert', isSingle: true },
  { id: 'keep', name: 'Keep on this laptop', icon: 'emblem-default', isSingle: false },
  { id: 'free', name: 'Free up space', icon: 'edit-clear', isSingle: false },
  { id: 'resolution', name: 'Copy how to resolve its conflict', icon: 'edit-copy', isSingle: true },
];

/**
 * Nemo splits the line into words as a shell would, and runs no shell. Addresses (%U) have no quote, backslash or line break in them, and
 * each is put in quotes, so it stays one word.
 */
const nemoAction = ({ id, name, icon, isSingle }) => `[Nemo Action]
Name=Godwit: ${name}
Comment=Asks godwit about what is selected
Exec=${PROGRAM} ${id} %U
Icon-Name=${icon}
Selection=${isSingle ? 's' : 'notnone'}
Extensions=any;
Quote=double
UriScheme=file
`;

/** KIO quotes what it puts in place of %U. How many files may be selected holds for a whole file: there are two. */
function dolphinMenu(isSingle) {
  const actions = ACTIONS.filter((each) => each.isSingle === isSingle);
  const head = `[Desktop Entry]
Type=Service
Name=Godwit
Icon=godwit
MimeType=application/octet-stream;inode/directory;
X-KDE-ServiceTypes=KonqPopupMenu/Plugin
X-KDE-Submenu=Godwit
X-KDE-Protocols=file
${isSingle ? 'X-KDE-RequiredNumberOfUrls=1\n' : ''}Actions=${actions.map(({ id }) => `${id};`).join('')}
`;
  const one = ({ id, name, icon }) => `
[Desktop Action ${id}]
Name=${name}
Icon=${icon}
Exec=${PROGRAM} ${id} %U
`;
  return head + actions.map(one).join('');
}

const own = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');
const EXTENSION = own('godwit_files.py');

/** What runs them: the Node of the package `godwit`. */
export const RUNNER = `#!/bin/sh
exec "$(ls -d /usr/lib/godwit/node_modules/node-linux-*/bin/node)" ${PROGRAM}.mjs "$@"
`;
export const RUNNER_PATH = PROGRAM.slice(1);

export const FILES = {
  [`${RUNNER_PATH}.mjs`]: own('file-action.mjs'),
  ...Object.fromEntries(
    ACTIONS.map((each) => [
      `usr/share/nemo/actions/godwit-${each.id}.nemo_action`,
      nemoAction(each),
    ]),
  ),
  // Where KDE Frameworks 5.85 and later look for them.
  'usr/share/kio/servicemenus/godwit-file.desktop': dolphinMenu(true),
  'usr/share/kio/servicemenus/godwit-files.desktop': dolphinMenu(false),
  'usr/share/nautilus-python/extensions/godwit_files.py': EXTENSION,
  'usr/share/nemo-python/extensions/godwit_files.py': EXTENSION,
};

/** The texts of the package `godwit`. */

export const HOME = '/usr/lib/godwit';

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
Documentation=man:godwit(1)
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

/** `godwitd` has no arguments of its own that a person needs. */
export const DAEMON_PAGE = (date, version) => `.TH GODWITD 1 ${date} "Godwit ${version}" "Godwit"
.SH NAME
godwitd \\- the daemon of Godwit, without the command line
.SH SYNOPSIS
\\fBgodwitd\\fR \\fB\\-\\-data\\fR \\fIDIR\\fR
.SH DESCRIPTION
Runs the daemon of a data folder that \\fBgodwit up\\fR has made, in the foreground. People use \\fBgodwit up\\fR.
.SH SEE ALSO
godwit\\-up(1)
`;

/**
 * A removal ends what still runs of the program: without its files a daemon could neither go on nor be updated. It ends in good order, as
 * by `godwit down`. Told by the file that it runs, so that of a container is another one.
 */
const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  program=$(ls -d ${HOME}/node_modules/node-linux-*/bin/node 2>/dev/null || true)
  ended=
  for process in /proc/[0-9]*; do
    if [ -n "$program" ] && [ "$process/exe" -ef "$program" ]; then
      kill -TERM "\${process#/proc/}" 2>/dev/null && ended="$ended $process" || true
    fi
  done
  if [ -n "$ended" ]; then
    echo "Godwit ends; the files in synced folders stay, and so does what is not sent yet."
    tries=0
    for process in $ended; do
      while [ "$process/exe" -ef "$program" ] && [ "$tries" -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
      done
    done
  fi
fi
`;

/**
 * An update: the services of users who are logged in are begun anew with the new program, as those of the system are; one that does not run
 * stays so. What was started by hand goes on, and its status says that it is of another version.
 */
const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -n "$2" ] && [ -d /run/systemd/system ]; then
  users=$(systemctl --no-legend --quiet list-units 'user@*' 2>/dev/null |
    sed -n 's/.*user@\\([0-9]*\\)\\.service.*/\\1/p')
  for user in $users; do
    systemctl --user --machine "$user@" daemon-reload 2>/dev/null || true
    systemctl --user --machine "$user@" try-restart godwit.service 2>/dev/null || true
  done
fi
`;

export const SCRIPTS = { postinst: POSTINST, prerm: PRERM };

export const README = `Godwit for Debian
=================

A laptop:  godwit up --folder ~/Godwit --invite -
           systemctl --user enable --now godwit     starts it at each login
A server:  apt install godwit-server && godwit-server setup
A window:  apt install godwit-desktop

The guide is beside this file, in docs/guide; each command has a manual page,
such as godwit-up(1).

An update restarts the services: godwit of each user who is logged in, and
godwit-server. What was started by hand with godwit up goes on with the old
program, and godwit status says so: godwit down, then godwit up.

Removal and purge end the daemons that run, and leave the files of users alone:
their folder, and settings, key and database in ~/.local/state/godwit.

All Node.js packages that the program needs are in /usr/lib/godwit, and so is
Node.js. They are not those of Debian; updates of them come with this package.
`;

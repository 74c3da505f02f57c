/** The texts of the package `godwit-server`: a user, a unit, settings, and a command that uses them. */

export const SERVER_USER = 'godwit-server';
export const SERVER_DATA = '/var/lib/godwit-server';
export const SERVER_CONFIG = '/etc/godwit-server/server.conf';

/** The settings have the form of systemd's environment files, and a shell reads them as well. */
const CONFIG = `# Settings of the Godwit server. \`godwit-server setup\` writes them; after a change by
# hand: systemctl restart godwit-server

# Where it listens, over UDP. [::]:4433 listens on IPv6.
GODWIT_SERVER_LISTEN=0.0.0.0:4433

# Where laptops find it: HOST:PORT. Invitations name it.
GODWIT_SERVER_ADDRESS=

# All files and their older versions, the database, the key. Its owner is the user godwit-server.
# Another place needs ReadWritePaths= in the unit, too (systemctl edit godwit-server).
GODWIT_SERVER_DATA=${SERVER_DATA}
`;

/** V8 writes the code it runs, so memory may be written and run. */
export const UNIT = `[Unit]
Description=Godwit server
Documentation=man:godwit-server(8)
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=${SERVER_USER}
Group=${SERVER_USER}
EnvironmentFile=-${SERVER_CONFIG}
Environment=XDG_CACHE_HOME=/var/cache/godwit-server
ExecStart=/usr/bin/godwit server
Restart=on-failure
RestartSec=5
# 2: it was called wrongly; 7: it can't go on. Neither passes by itself.
RestartPreventExitStatus=2 7
# It ends when its laptops are told and its database is closed.
TimeoutStopSec=60
LimitNOFILE=65536

StateDirectory=godwit-server
StateDirectoryMode=0700
CacheDirectory=godwit-server
CacheDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# A port below 1024 is possible; nothing else that only root may.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE

[Install]
WantedBy=multi-user.target
`;

const SYSUSERS = `u ${SERVER_USER} - "Godwit server" ${SERVER_DATA}
`;

/** \`godwit server\` as the one whose the data are: root would leave files in the database's folder that the server can't open. */
export const COMMAND = `#!/bin/sh
set -e
config=${SERVER_CONFIG}
user=${SERVER_USER}
if [ "$1" = setup ]; then
  exec /usr/bin/godwit server "$@"
fi
if [ -r "$config" ]; then
  set -a
  . "$config"
  set +a
fi
if [ "$(id -un)" = "$user" ]; then
  exec /usr/bin/godwit server "$@"
fi
if [ "$(id -u)" != 0 ]; then
  echo "godwit-server: only root and $user may do this; begin with sudo" >&2
  exit 1
fi
HOME=${SERVER_DATA} XDG_CACHE_HOME=/var/cache/godwit-server \\
  exec setpriv --reuid "$user" --regid "$user" --init-groups --inh-caps=-all -- /usr/bin/godwit server "$@"
`;

const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  systemd-sysusers /usr/lib/sysusers.d/godwit-server.conf
  install -d -m 0700 -o ${SERVER_USER} -g ${SERVER_USER} ${SERVER_DATA} /var/cache/godwit-server
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    # After an update, or after a removal. It does nothing before \`godwit-server setup\`, which enables it.
    if [ -n "$2" ]; then deb-systemd-invoke restart godwit-server.service || true; fi
  fi
  if [ -z "$2" ]; then echo "Set the server up with: sudo godwit-server setup"; fi
fi
`;

const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop godwit-server.service || true
fi
`;

/** What people have put there outlasts the package. */
const POSTRM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
if [ "$1" = purge ]; then
  rm -rf /var/cache/godwit-server /etc/systemd/system/godwit-server.service.d/data.conf
  rmdir --ignore-fail-on-non-empty /etc/systemd/system/godwit-server.service.d 2>/dev/null || true
  rm -f /etc/systemd/system/multi-user.target.wants/godwit-server.service
  if [ -d ${SERVER_DATA} ] && [ -n "$(ls -A ${SERVER_DATA})" ]; then
    echo "The files of the server stay in ${SERVER_DATA}, and the user ${SERVER_USER} stays with them."
    echo "If nobody needs them: rm -r ${SERVER_DATA}"
  else
    rm -rf ${SERVER_DATA}
  fi
fi
`;

export const README = `The Godwit server for Debian
============================

    sudo godwit-server setup

asks for the address and the port, writes /etc/godwit-server/server.conf,
starts the service, and prints the first invitation. Open that UDP port in the
firewall. The service does not start before that.

    sudo godwit-server invite          one more laptop
    sudo godwit-server devices         who has access
    sudo godwit-server backup TARGET   a folder that godwit-server may write
    systemctl status godwit-server

\`godwit-server WORDS\` is \`godwit server WORDS\` with the settings of the
configuration, as the user godwit-server.

The update of the package restarts the service. Update the server before the
laptops.

Removal and purge leave /var/lib/godwit-server: the files of people, and the
key by which laptops know the server. Purge removes the configuration.
`;

/** The manual page of `godwit-server`, in section 8. */
export const PAGE = (date, version) => `.TH GODWIT\\-SERVER 8 ${date} "Godwit ${version}" "Godwit"
.SH NAME
godwit\\-server \\- the server of Godwit as a service of this machine
.SH SYNOPSIS
\\fBgodwit\\-server setup\\fR [\\fIflags\\fR]
.br
\\fBgodwit\\-server\\fR \\fICOMMAND\\fR [\\fIflags\\fR] [\\fIarguments\\fR]
.SH DESCRIPTION
Runs \\fBgodwit server\\fR \\fICOMMAND\\fR as the user \\fI${SERVER_USER}\\fR, with the settings of the service. The commands and
their flags are in godwit\\-server(1).
.PP
\\fBsetup\\fR is the first step. It asks for the address by which laptops find the server and for its UDP port, writes the
settings, enables and starts the service, says how the firewall is opened, and prints the first invitation.
.PP
Begin it with \\fBsudo\\fR. A backup goes to a folder that the user \\fI${SERVER_USER}\\fR may write.
.SH SERVICE
\\fIgodwit\\-server.service\\fR runs the server, with as few rights as it needs. It does not start again by itself after exit
code 2 (called wrongly) or 7 (fatal).
.SH FILES
.TP
\\fI${SERVER_CONFIG}\\fR
Where it listens, its address, and its data folder.
.TP
\\fI${SERVER_DATA}\\fR
All files and their older versions, the database, the key, and the log.
.SH SEE ALSO
godwit\\-server(1), godwit(1), systemctl(1)
`;

/** Text files of the package, by their paths. */
export const FILES = {
  'etc/godwit-server/server.conf': CONFIG,
  'usr/lib/systemd/system/godwit-server.service': UNIT,
  'usr/lib/sysusers.d/godwit-server.conf': SYSUSERS,
};

export const CONFFILES = [SERVER_CONFIG];

export const SCRIPTS = { postinst: POSTINST, prerm: PRERM, postrm: POSTRM };

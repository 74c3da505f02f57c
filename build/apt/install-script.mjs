/** What a repository of packages says of itself to a machine that is to use it: its entry for apt, and a script that adds it. */

const COMPONENT = 'main';

/**
 * The text of `/etc/apt/sources.list.d/godwit.sources`, of one file alone. `key`: the armored public key.
 */
export function sourcesText({ url, suite, key }) {
  return `${['Types: deb', `URIs: ${url}`, `Suites: ${suite}`, `Components: ${COMPONENT}`, trustOf(key)].join('\n')}\n`;
}

/** Lines that go on begin with a space, and an empty one is a dot. */
function trustOf(key) {
  const lines = key.trimEnd().split('\n');
  return ['Signed-By:', ...lines.map((line) => ` ${line === '' ? '.' : line}`)].join('\n');
}

/** The text of `install.sh`, which adds the repository to apt and installs the packages that are named. It is whole before it begins. */
export const installScript = ({ url, suite, key }) => `#!/bin/sh
# Adds this repository to apt, and installs packages from it:
#   wget -qO- ${url}/install.sh | sudo sh -s godwit-desktop
set -e

install_godwit() {
  if [ $# = 0 ]; then
    echo "godwit: name what to install: godwit-desktop, godwit-server or godwit" >&2
    exit 2
  fi
  if ! command -v apt-get >/dev/null; then
    echo "godwit: these packages are for Debian and Ubuntu, and there is no apt-get here" >&2
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    echo "godwit: only root installs packages: begin with sudo" >&2
    exit 1
  fi
  cat >/etc/apt/sources.list.d/godwit.sources <<'END'
${sourcesText({ url, suite, key })}END
  # The script comes by standard input, which is nobody who could answer.
  apt-get update -q </dev/null
  apt-get install -qy "$@" </dev/null
}

install_godwit "$@"
`;

/** The page docs/reference/settings.md: what `godwit config` lists, with the default values. */
import { settingsOf } from '../../app/cli/settings.ts';
import { DEFAULT_SETTINGS, START_SETTINGS } from '../../shared/control/settings.ts';
import { NO_RULE } from '../../shared/model/network.ts';
import { cell, table } from './markdown.mjs';

const OPENING = `# Settings

A daemon keeps these settings in its data folder, and they hold over restarts. This page is made
from the program (\`npm run docs\`).

\`\`\`sh
godwit config                              # lists all of them
godwit config writeback.delay              # shows one
godwit config writeback.delay 30           # sets one
godwit config --unset writeback.delay      # takes it back: the default holds again
\`\`\`

Sizes are bytes, or have a unit: \`10MB\` counts by the thousand, \`10MiB\` by 1,024.`;

const OF_NETWORKS = `A rule for one network has the name of the network in its key. The name may also be
\`gateway:ADDRESS\`, \`subnet:ADDRESS/BITS\` or \`interface:NAME\`. See
[networks](../guide/networks.md).`;

const OF_START = `\`godwit up\` sets these. \`server\` and \`folder\` can be changed while the daemon runs; the others
take another \`godwit up\`.`;

const OF_EXPERIMENTS = `[The experiments](../lab/papers.md) compare ways to keep laptops consistent. You need not change
these, and \`godwit config\` lists them only with \`--experiments\`, or where one is changed.`;

const NETWORK = 'Ann';
const CONFIG = {
  server: { host: 'files.example.org', port: 4433, fingerprint: '0'.repeat(64) },
  folder: '/home/ann/Godwit',
  frontEnd: /** @type {const} */ ('folder'),
  deviceName: 'laptop',
  volume: 'home',
};

/** @returns {string} */
export function renderSettings() {
  const ruled = { network: NETWORK, rule: NO_RULE };
  const usual = settingsOf({
    ...DEFAULT_SETTINGS,
    networks: [/** @type {any} */ (ruled)],
    config: CONFIG,
  });
  const start = new Set(Object.keys(START_SETTINGS));
  const isOfNetwork = ({ key }) => key.startsWith(`network.${NETWORK}.`);
  const experiments = usual.filter(({ isExperiment }) => isExperiment);
  const users = usual.filter(({ isExperiment }) => !isExperiment);
  const plain = users.filter((each) => !start.has(each.key) && !isOfNetwork(each));
  const networks = usual
    .filter(isOfNetwork)
    .map((each) => ({ ...each, key: each.key.replace(NETWORK, 'NAME') }));
  const blocks = [
    OPENING,
    '## All devices',
    ...rows(plain),
    '## One network',
    OF_NETWORKS,
    ...rows(networks),
    '## This device',
    OF_START,
    ...rows(
      users.filter(({ key }) => start.has(key)),
      'example',
    ),
    '## Experiments',
    OF_EXPERIMENTS,
    ...rows(experiments),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function rows(settings, heading = 'default') {
  return table(
    ['key', heading, 'what it is'],
    settings.map(({ key, value, says }) => [`\`${key}\``, `\`${value}\``, cell(says)]),
  );
}

/** The page docs/reference/metrics.md: each figure of a daemon and a server, in its own words. */
import { table } from './markdown.mjs';

const OPENING = `# Metrics

A daemon and a server show these figures to a [Prometheus](https://prometheus.io) that is allowed
to ask (\`--metrics PORT\`). \`godwit metrics\` prints those of a daemon once. A figure without a
value at the moment is left out, such as the round trip without a connection. Volumes go by their
number, so no name is in it. [How to turn them on](../server/metrics.md). This page is made from
the programs (\`npm run docs\`).`;

const OF_A_DAEMON = `A connection reports what it moved four times a second at most. What it moves after the last
report is not counted. Queues and fetches are those of \`godwit status\`, never older than a quarter
of a second.`;

/**
 * @typedef {import('../../shared/metrics/figure.ts').Figure} Figure
 * @param {readonly Figure[]} daemon
 * @param {readonly Figure[]} server
 * @returns {string}
 */
export function renderMetrics(daemon, server) {
  const own = (figures) => figures.filter((figure) => !isOfProcess(figure));
  const blocks = [
    OPENING,
    '## A daemon',
    ...rows(own(daemon)),
    OF_A_DAEMON,
    '## A server',
    ...rows(own(server)),
    '## Both',
    ...rows(daemon.filter(isOfProcess)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const isOfProcess = ({ name }) => !name.startsWith('godwit');

function rows(figures) {
  return table(
    ['name', 'kind', 'what it is'],
    figures.map(({ name, kind, help, samples }) => {
      const labels = Object.keys(samples[0]?.labels ?? {}).filter((name) => name !== 'le');
      const place = labels.length === 0 ? '' : `{${labels.join()}}`;
      return [`\`${name}${place}\``, kind, help];
    }),
  );
}

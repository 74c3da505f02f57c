/** The figures of the daemon that are no list: what is left, how far the server is, what the network and the disk have. */
import type { JSX } from 'preact';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lineText, rateText, shareOf } from '../view/format.ts';
import { durationText, sizeText } from '../../../shared/util/amounts.ts';
import { bytesToSend } from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import { Bar } from './row-line.tsx';

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly share?: number | null;
}

/** Shows the single figures of a status as a list of names and values. */
export function Facts({ status }: { readonly status: StatusSnapshot }): JSX.Element {
  return (
    <dl class="facts">
      {factsOf(status).map(({ name, value, more, share = null }) => (
        <div class="fact" key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="fact-value">{value}</span>
            <span class="quiet">{more}</span>
            {share !== null && <Bar share={share} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(status: StatusSnapshot): Fact[] {
  const { queues, fetches, unsettled, link, cache } = status;
  const words = TEXT.facts;
  const { metadata, data } = queues;
  const updates = metadata.updates - metadata.cancelled + data.updates - data.cancelled;
  // Small files do not fill a line: the queue is slower then than the line is.
  const rate = link.bulkBytesPerSecond ?? data.estimate.bytesPerSecond;
  const base = link.baseRttMs ?? null;
  const toFetch = Math.max(0, fetches.bytes - fetches.receivedBytes);
  return [
    { name: words.toSend, value: sizeText(bytesToSend(status)), more: TEXT.queue.updates(updates) },
    { name: words.toBringIn, value: sizeText(toFetch), more: words.commits(unsettled.commits) },
    {
      name: words.roundTrip,
      value: link.rttMs === null ? TEXT.nothing : durationText(link.rttMs),
      more: base === null ? '' : words.atBest(durationText(base)),
    },
    {
      name: words.linkRate,
      value: rate === null ? TEXT.nothing : rateText(rate),
      more: rate === null ? words.notMeasured : TEXT.traffic.up.toLowerCase(),
    },
    networkFact(status),
    { name: words.cache, value: sizeText(cache.bytes), more: words.files(cache.files) },
    ...status.volumes.flatMap(({ name, quota }) =>
      quota === null
        ? []
        : [
            {
              name: `${words.quota} ${lineText(name)}`,
              value: sizeText(quota.used),
              more: TEXT.of('', sizeText(quota.limit)).trim(),
              share: shareOf(quota.used, quota.limit),
            },
          ],
    ),
  ];
}

function networkFact({ network = null }: StatusSnapshot): Fact {
  const name = TEXT.facts.network;
  if (network === null) return { name, value: TEXT.nothing, more: TEXT.facts.noNetwork };
  const { used, budget, metered } = network;
  const kind = metered ? TEXT.facts.metered : TEXT.facts.notMetered;
  const left = budget === null ? kind : TEXT.facts.ofBudget(sizeText(budget.left));
  const share = budget === null ? null : shareOf(used, budget.bytes);
  return { name, value: sizeText(used), more: `${lineText(network.name)}, ${left}`, share };
}

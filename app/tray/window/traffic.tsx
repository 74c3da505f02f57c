/** What moves now by class: two graphs, and the table that is their legend and says the same. */
import type { JSX } from 'preact';
import { rateText } from '../view/format.ts';
import type { RateHistory } from '../view/rate-history.ts';
import { TEXT } from '../view/text.ts';
import { DASHES, RateGraph } from './rate-graph.tsx';

interface TrafficProps {
  readonly history: RateHistory;
  readonly tick: number;
}

/** Shows the present rates by class, in two graphs and a table. */
export function Traffic({ history, tick }: TrafficProps): JSX.Element {
  const { rows, all } = history.now();
  const shown = (rate: number): string => (rate === 0 ? TEXT.nothing : rateText(rate));
  return (
    <section class="card traffic" aria-labelledby="traffic-title">
      <h2 id="traffic-title">{TEXT.traffic.title}</h2>
      <div class="traffic-parts">
        <div class="graphs">
          <RateGraph way="up" history={history} tick={tick} />
          <RateGraph way="down" history={history} tick={tick} />
        </div>
        <table aria-label={TEXT.traffic.table}>
          <thead>
            <tr>
              <th scope="col">{TEXT.traffic.class}</th>
              <th scope="col">{TEXT.traffic.up}</th>
              <th scope="col">{TEXT.traffic.down}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ priorityClass, up, down }, index) => (
              <tr key={priorityClass} data-class={priorityClass}>
                <th scope="row" title={TEXT.classMeans(priorityClass)}>
                  <Swatch index={index} /> {TEXT.class(priorityClass)}
                </th>
                <td>{shown(up)}</td>
                <td>{shown(down)}</td>
              </tr>
            ))}
            <tr class="all">
              <th scope="row">{TEXT.traffic.total}</th>
              <td>{shown(all.up)}</td>
              <td>{shown(all.down)}</td>
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The line as the graph draws it. */
function Swatch({ index }: { readonly index: number }): JSX.Element {
  return (
    <svg class={`swatch class-${index}`} width="24" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="24" y2="4" stroke-dasharray={(DASHES[index] ?? []).join(' ')} />
    </svg>
  );
}

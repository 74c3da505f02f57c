/** What the daemon has counted, as of the time when this is opened. A daemon that is older than the page tells nothing of it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatsReport } from '../../../shared/control/stats.ts';
import type { Api } from '../view/api.ts';
import { countRows, type CountRow } from '../view/counts-view.ts';

/** Shows a few figures of what was counted since the daemon began; nothing where there are none. */
export function CountsList({ api }: { readonly api: Api }): JSX.Element | null {
  const [rows, setRows] = useState<readonly CountRow[]>([]);
  useEffect(() => {
    const asked = api.command<StatsReport>('stats', { sinceMs: null });
    void asked.then(
      (report) => setRows(countRows(report)),
      () => undefined,
    );
  }, []);
  if (rows.length === 0) return null;
  return (
    <dl class="facts" data-card="counts">
      {rows.map(({ name, value, more }) => (
        <div class="fact" key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="fact-value">{value}</span>
            <span class="quiet">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

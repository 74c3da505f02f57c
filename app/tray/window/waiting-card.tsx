/** Why not everything is synced; nothing where nothing waits. */
import type { JSX } from 'preact';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { TEXT } from '../view/text.ts';
import { waitingView } from '../view/waiting-view.ts';

export function WaitingCard({ status }: { readonly status: StatusSnapshot }): JSX.Element | null {
  const view = waitingView(status);
  if (view === null) return null;
  return (
    <section class="card" aria-labelledby="waiting-title" data-card="waiting">
      <h2 id="waiting-title">{TEXT.waiting}</h2>
      <ul class="things" aria-labelledby="waiting-title">
        {view.rows.map(({ path, reason }, at) => (
          <li key={at}>
            <span class="thing">
              {path !== '' && <b>{path}: </b>}
              {reason}
            </span>
          </li>
        ))}
        {view.more !== '' && <li class="quiet">{view.more}</li>}
      </ul>
    </section>
  );
}

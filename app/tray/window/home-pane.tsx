/** The first page: how it is, what needs somebody, what was last; and for those who want to know, all the rest behind one line. */
import type { JSX } from 'preact';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { problemNeed } from '../view/needs-view.ts';
import { problemsOf } from '../view/problems.ts';
import { TEXT } from '../view/text.ts';
import { waitingView } from '../view/waiting-view.ts';
import { CountsList } from './counts-list.tsx';
import { Facts } from './facts.tsx';
import { FetchPanel } from './fetch-panel.tsx';
import { JoinedCard } from './joined-card.tsx';
import { HomeFoot } from './home-foot.tsx';
import { NeedsCard, ProblemRow } from './needs-card.tsx';
import type { Pane } from '../view/menu.ts';
import type { PaneProps } from './pane-props.ts';
import { QueuePanel } from './queue-panel.tsx';
import { RecentCard, useSenders } from './recent-card.tsx';
import { StatusCard } from './status-card.tsx';
import { Traffic } from './traffic.tsx';
import { RemovedCards } from './removed-card.tsx';
import type { Watched } from './use-daemon.ts';

interface HomeProps extends PaneProps {
  readonly watched: Watched;
  readonly isDetailed: boolean;
  readonly onDetailed: (isDetailed: boolean) => void;
  readonly onPane: (pane: Pane) => void;
}

/** Shows the first page. What is behind Details asks nothing of the daemon while it is closed. */
export function HomePane(props: HomeProps): JSX.Element {
  const { api, status, tell, isDetailed, onDetailed, onPane } = props;
  const senders = useSenders(api, status);
  return (
    <div class="home">
      <StatusCard {...{ api, status, tell, senders }} />
      <JoinedCard {...{ api, status, tell }} />
      <RemovedCards {...{ api, status, tell }} />
      <NeedsCard {...{ api, status, tell, onPane }} />
      <RecentCard {...{ api, status, tell, senders }} />
      <HomeFoot status={status} />
      <section class="more-details">
        <button
          type="button"
          class="fold"
          data-act="details"
          aria-expanded={isDetailed}
          onClick={() => onDetailed(!isDetailed)}
        >
          {TEXT.home.more} <span class="quiet">{TEXT.home.detailsFor}</span>
        </button>
        {isDetailed && <Details {...props} />}
      </section>
    </div>
  );
}

function Details({ api, status, tell, watched, onPane }: HomeProps): JSX.Element {
  return (
    <div class="details-body" data-card="details">
      <Facts status={status} />
      <WaitingCard status={status} />
      <div class="queues">
        <QueuePanel api={api} name="data" status={status} tell={tell} />
        <QueuePanel api={api} name="metadata" status={status} tell={tell} />
        <FetchPanel api={api} status={status} />
      </div>
      <CountsList api={api} />
      <Traffic history={watched.history} tick={watched.tick} />
      <Notes {...{ api, status, tell, onPane }} />
    </div>
  );
}

/** Why not everything is synced; nothing where nothing waits. */
function WaitingCard({ status }: { readonly status: StatusSnapshot }): JSX.Element | null {
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

/** What is no fault, and worth knowing. */
function Notes(props: PaneProps & Pick<HomeProps, 'onPane'>): JSX.Element | null {
  const { notes } = problemsOf(props.status.errors);
  if (notes.length === 0) return null;
  return (
    <section class="card" aria-labelledby="notes-title" data-card="notes">
      <h2 id="notes-title">{TEXT.problems.notes}</h2>
      <ul class="rows">
        {notes.map((note) => (
          <li key={`${note.code} ${note.path}`}>
            <ProblemRow {...props} need={problemNeed(note)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

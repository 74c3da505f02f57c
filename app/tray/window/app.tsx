/** The page: how it is, and one of its parts at a time. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { resultOf, type Api } from '../view/api.ts';
import { PANES, type Pane } from '../view/menu.ts';
import { problemCount, problemsOf } from '../view/problems.ts';
import { headline, iconState, stateWord, type Known } from '../view/status-view.ts';
import { STATE_SHAPES } from '../view/state-shapes.ts';
import { TEXT } from '../view/text.ts';
import { waitingView } from '../view/waiting-view.ts';
import { ConflictsPane } from './conflicts-pane.tsx';
import { Facts } from './facts.tsx';
import { FetchPanel } from './fetch-panel.tsx';
import { FilesPane } from './files-pane.tsx';
import { Message } from './message.tsx';
import { PauseControl } from './pause-control.tsx';
import { ProblemsPane } from './problems-pane.tsx';
import { QueuePanel } from './queue-panel.tsx';
import { SettingsPane } from './settings-pane.tsx';
import { teller, Toast, type ToastText, type Tell } from './toast.tsx';
import { Traffic } from './traffic.tsx';
import { useDaemon, type Watched } from './use-daemon.ts';
import { WelcomePane } from './welcome-pane.tsx';

const isPane = (name: string): name is Pane => (PANES as readonly string[]).includes(name);

/** Shows the page: its panes while a daemon runs, else what can be done about that. */
export function App({ api }: { readonly api: Api }): JSX.Element {
  const watched = useDaemon(api);
  const [pane, setPane] = useState<Pane>('activity');
  const [said, setSaid] = useState<ToastText | null>(null);
  const [tell] = useState(() => teller(setSaid));
  const { program } = api.carrier;
  useEffect(() => {
    program?.onShow((name) => {
      if (isPane(name)) setPane(name);
    });
  }, [program]);
  const { known } = watched;
  const state = stateWord(known);
  useEffect(() => {
    document.title = `${state} – ${TEXT.product}`;
  }, [state]);

  return (
    <>
      {known.kind === 'running' ? (
        <Shell {...{ api, watched, tell, pane, setPane, status: known.status }} />
      ) : (
        <Absent api={api} watched={watched} tell={tell} />
      )}
      <Toast said={said} onClose={() => setSaid(null)} />
    </>
  );
}

interface AbsentProps {
  readonly api: Api;
  readonly watched: Watched;
  readonly tell: Tell;
}

/** There is no daemon to show. */
function Absent({ api, watched: { known, isSignedOut }, tell }: AbsentProps): JSX.Element {
  const { program } = api.carrier;
  const words = TEXT.welcome;
  if (isSignedOut) return <Message title={words.signedOut} body={words.signedOutHow} />;
  if (known.kind === 'new' && program !== null) {
    return <WelcomePane program={program} tell={tell} />;
  }
  if (known.kind === 'looking') return <Message title={TEXT.product} body={words.connecting} />;
  if (program === null) return <Message title={words.startTitle} body={words.ended} />;
  return (
    <Message title={words.startTitle} body={words.startBody}>
      <button type="button" class="strong" onClick={() => void tell(resultOf(program.start()))}>
        {TEXT.actions.start}
      </button>
    </Message>
  );
}

interface ShellProps extends AbsentProps {
  readonly status: StatusSnapshot;
  readonly pane: Pane;
  readonly setPane: (pane: Pane) => void;
}

function Shell({ api, watched, tell, status, pane, setPane }: ShellProps): JSX.Element {
  const { known } = watched;
  const counts: Partial<Record<Pane, number>> = {
    conflicts: status.conflicts.length,
    problems: problemCount(problemsOf(status.errors)),
  };
  return (
    <div class="shell">
      <a class="skip" href="#shown">
        {TEXT.nav.skip}
      </a>
      <Head api={api} known={known} status={status} tell={tell} />
      <nav aria-label={TEXT.nav.label}>
        {PANES.map((name) => (
          <button
            key={name}
            type="button"
            data-pane={name}
            aria-current={pane === name ? 'page' : undefined}
            onClick={() => setPane(name)}
          >
            {TEXT.nav[name]}
            {(counts[name] ?? 0) > 0 && <span class="badge">{counts[name]}</span>}
          </button>
        ))}
      </nav>
      <main id="shown" tabIndex={-1}>
        {pane === 'activity' && <Activity {...{ api, watched, tell, status }} />}
        {pane === 'files' && <FilesPane {...{ api, status, tell }} />}
        {pane === 'conflicts' && <ConflictsPane {...{ api, status, tell }} />}
        {pane === 'problems' && <ProblemsPane {...{ api, status, tell }} />}
        {pane === 'settings' && <SettingsPane {...{ api, status, tell }} />}
      </main>
    </div>
  );
}

interface HeadProps {
  readonly api: Api;
  readonly known: Known;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

function Head({ api, known, status, tell }: HeadProps): JSX.Element {
  const line = headline(known, Date.now());
  return (
    <header>
      <StateIcon state={iconState(known)} />
      <div class="head-text" role="status">
        <strong data-state={status.state}>{stateWord(known)}</strong>
        {line !== stateWord(known) && <span class="quiet">{line}</span>}
      </div>
      <button type="button" onClick={() => void tell(api.command('scan'))}>
        {TEXT.actions.syncNow}
      </button>
      <PauseControl api={api} status={status} tell={tell} />
    </header>
  );
}

function Activity({
  api,
  watched,
  tell,
  status,
}: Omit<ShellProps, 'pane' | 'setPane'>): JSX.Element {
  return (
    <>
      <h1 class="hidden-text">{TEXT.nav.activity}</h1>
      <Facts status={status} />
      <Traffic history={watched.history} tick={watched.tick} />
      <div class="queues">
        <QueuePanel api={api} name="data" status={status} tell={tell} />
        <QueuePanel api={api} name="metadata" status={status} tell={tell} />
        <FetchPanel api={api} status={status} />
      </div>
      <WaitingCard status={status} />
    </>
  );
}

/** The state as a sign: as the icons of the tray. */
function StateIcon({ state }: { readonly state: DaemonState }): JSX.Element {
  return (
    <svg
      class={`state state-${state}`}
      viewBox="0 0 24 24"
      width="40"
      height="40"
      aria-hidden="true"
    >
      <path d={STATE_SHAPES[state]} />
    </svg>
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

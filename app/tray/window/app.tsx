/** The page: one of its parts at a time, and what to do where there is no daemon to show. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { resultOf, type Api } from '../view/api.ts';
import { PANES, type Pane } from '../view/menu.ts';
import { activityText, type Known } from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import { ConflictsPane } from './conflicts-pane.tsx';
import { FilesPane } from './files-pane.tsx';
import { HomePane } from './home-pane.tsx';
import { Message } from './message.tsx';
import { SettingsPane } from './settings-pane.tsx';
import { StatusLine } from './status-card.tsx';
import { nothingToSay, teller, Toast, type ToastText, type Tell } from './toast.tsx';
import { useDaemon, type Watched } from './use-daemon.ts';
import { useTheme } from './use-appearance.ts';
import { WelcomePane } from './welcome-pane.tsx';

const isPane = (name: string): name is Pane => (PANES as readonly string[]).includes(name);

/** Shows the page: its panes while a daemon runs, else what can be done about that. */
export function App({ api }: { readonly api: Api }): JSX.Element {
  const watched = useDaemon(api);
  const [pane, setPane] = useState<Pane>('home');
  const [said, setSaid] = useState<ToastText | null>(null);
  const [tell] = useState(() => teller(setSaid));
  /** A device that is set up here stays in the set-up until a person has ended it. */
  const { program, firstRun } = api.carrier;
  const [isSettingUp, setSettingUp] = useState(firstRun !== null);
  useTheme(api);
  useEffect(() => {
    program?.onShow((name) => {
      if (isPane(name)) setPane(name);
    });
  }, [program]);
  const { known } = watched;
  useEffect(() => {
    if (known.kind === 'new' && program !== null) setSettingUp(true);
  }, [known.kind, program]);
  const state = activityText(known);
  useEffect(() => {
    document.title = `${state} – ${TEXT.product}`;
  }, [state]);

  const status = known.kind === 'running' ? known.status : null;
  const setUp = program ?? firstRun;
  const isAway = known.kind === 'looking' || (known.kind === 'away' && firstRun !== null);
  const end = (): void => {
    if (firstRun === null) setSettingUp(false);
    else void tell(resultOf<NextPage>(firstRun.finish()), nothingToSay).then(follow);
  };
  return (
    <>
      {isSettingUp && setUp !== null && !isAway && !watched.isSignedOut ? (
        <WelcomePane {...{ setUp, program, status, tell }} onDone={end} />
      ) : status !== null ? (
        <Shell {...{ api, watched, tell, pane, setPane, status }} />
      ) : (
        <Absent {...{ api, watched, tell, pane, setPane }} />
      )}
      <Toast said={said} onClose={() => setSaid(null)} />
    </>
  );
}

/** The page of the daemon, which goes on where the set-up ends. */
interface NextPage {
  readonly url: string;
}

/** undefined: that was refused, and said. */
function follow(next: NextPage | undefined): void {
  if (next !== undefined) location.replace(next.url);
}

interface PageProps {
  readonly api: Api;
  readonly watched: Watched;
  readonly tell: Tell;
  readonly pane: Pane;
  readonly setPane: (pane: Pane) => void;
}

/** There is no daemon to show: what was known last stays, so that nobody who worries loses sight of it. */
function Absent(props: PageProps): JSX.Element {
  const { api, watched, tell } = props;
  const { known, isSignedOut, last } = watched;
  const { program } = api.carrier;
  const words = TEXT.welcome;
  if (isSignedOut) return <Message title={words.signedOut} body={words.signedOutHow} />;
  if (last === null && isEarly(known)) {
    return <Message title={TEXT.product} body={words.connecting} />;
  }
  return (
    <>
      <Message title={words.startTitle} body={bodyOf(props)}>
        {program !== null && (
          <button type="button" class="strong" onClick={() => void tell(resultOf(program.start()))}>
            {TEXT.actions.start}
          </button>
        )}
        {last !== null && <p class="quiet">{words.lastKnown}</p>}
      </Message>
      {last !== null && (
        <div class="stale" inert>
          <Shell {...props} status={last} />
        </div>
      )}
    </>
  );
}

function bodyOf({ api }: PageProps): string {
  const words = TEXT.welcome;
  if (api.carrier.firstRun !== null) return words.firstRunEnded;
  return api.carrier.program === null ? words.ended : words.startBody;
}

const isEarly = ({ kind }: Known): boolean => kind === 'looking';

function Shell(props: PageProps & { readonly status: StatusSnapshot }): JSX.Element {
  const { api, watched, tell, status, pane, setPane } = props;
  const [isDetailed, setDetailed] = useState(false);
  const conflicts = status.conflicts.length;
  const panes = PANES.filter((name) => name !== 'conflicts' || conflicts > 0 || pane === name);
  return (
    <div class="shell">
      <a class="skip" href="#shown">
        {TEXT.nav.skip}
      </a>
      <nav aria-label={TEXT.nav.label}>
        {panes.map((name) => (
          <button
            key={name}
            type="button"
            data-pane={name}
            aria-current={pane === name ? 'page' : undefined}
            onClick={() => setPane(name)}
          >
            {TEXT.nav[name]}
            {name === 'conflicts' && conflicts > 0 && <span class="badge">{conflicts}</span>}
          </button>
        ))}
      </nav>
      <main id="shown" tabIndex={-1}>
        {pane === 'home' ? (
          <HomePane
            {...{ api, watched, tell, status, isDetailed }}
            onDetailed={setDetailed}
            onPane={setPane}
          />
        ) : (
          <StatusLine status={status} />
        )}
        {pane === 'files' && <FilesPane {...{ api, status, tell }} />}
        {pane === 'conflicts' && <ConflictsPane {...{ api, status, tell }} />}
        {pane === 'settings' && <SettingsPane {...{ api, status, tell }} />}
      </main>
    </div>
  );
}

/** The first start: what Godwit is, an invitation or a server of one's own, a folder; and at the end what comes next. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { CallError, resultOf, type ProgramTransport, type SetUpTransport } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { invitationView } from '../view/invitation-view.ts';
import { activityOf, attentionOf, headline } from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { FolderField } from './folder-field.tsx';
import { ActivitySign } from './sign.tsx';
import { nothingToSay, type Tell } from './toast.tsx';

interface WelcomeProps {
  /** Who sets the device up. */
  readonly setUp: SetUpTransport;
  /** null: a browser shows it. */
  readonly program: ProgramTransport | null;
  /** null: no daemon runs yet. */
  readonly status: StatusSnapshot | null;
  readonly tell: Tell;
  readonly onDone: () => void;
}

type Way = 'invitation' | 'server';

/** Shows the set-up, until the device is paired; then its end. */
export function WelcomePane(props: WelcomeProps): JSX.Element {
  const [way, setWay] = useState<Way>('invitation');
  // A daemon that is being paired is there for a moment, also where its server refuses it: what was typed, and why not, stay.
  const [isAnswered, setAnswered] = useState(true);
  const { status } = props;
  if (status !== null && isAnswered) return <Finish {...props} status={status} way={way} />;
  return <SetUp {...props} way={way} onWay={setWay} onAnswered={setAnswered} />;
}

interface Typed {
  readonly invitation: string;
  readonly folder: string;
  readonly name: string;
}

interface SetUpProps extends WelcomeProps {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
  /** False: from the first try on, until one succeeds. */
  readonly onAnswered: (isAnswered: boolean) => void;
}

/** A fault stands below its field. */
interface Fault {
  readonly field: 'invitation' | 'folder' | 'all';
  readonly text: string;
}

function SetUp({ setUp, program, tell, way, onWay, onAnswered }: SetUpProps): JSX.Element {
  const words = TEXT.welcome;
  const [typed, setTyped] = useState<Typed>({ invitation: '', folder: '', name: '' });
  const [fault, setFault] = useState<Fault | null>(null);
  const [joins, setJoins] = useState(false);
  useEffect(() => {
    void tell(resultOf<string>(setUp.usualFolder()), nothingToSay).then((usual) =>
      setTyped((now) => (now.folder === '' ? { ...now, folder: usual ?? '' } : now)),
    );
  }, [setUp]);
  const change = (part: Partial<Typed>): void => {
    setTyped({ ...typed, ...part });
    setFault(null);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wrong = faultOf(way, typed);
    setFault(wrong);
    if (wrong !== null) document.getElementById(wrong.field)?.focus();
    if (joins || wrong !== null) return;
    setJoins(true);
    onAnswered(false);
    const refused = await pair(setUp, way, typed);
    setFault(refused);
    setJoins(false);
    onAnswered(refused === null);
  };
  return (
    <main class="message welcome">
      <h1>{words.title}</h1>
      <p>{words.what}</p>
      <form onSubmit={(event) => void submit(event)}>
        <Ways {...{ way, onWay }} />
        {way === 'invitation' && (
          <div>
            <Field
              {...{ id: 'invitation', label: words.invitation, hint: words.invitationHint }}
              value={typed.invitation}
              onValue={(invitation) => change({ invitation })}
              describedBy="invitation-says"
            />
            <InvitationSays typed={typed.invitation} />
            <FaultText fault={fault} of="invitation" />
          </div>
        )}
        <div>
          <FolderField
            {...{ id: 'folder', label: words.folder, program, tell }}
            value={typed.folder}
            onValue={(folder) => change({ folder })}
          />
          <p class="quiet">{words.folderHow}</p>
          <FaultText fault={fault} of="folder" />
        </div>
        <div>
          <Field
            {...{ id: 'device-name', label: words.name, hint: '' }}
            value={typed.name}
            onValue={(name) => change({ name })}
          />
          <p class="quiet">{words.nameHow}</p>
        </div>
        <button type="submit" class="strong" aria-disabled={joins}>
          {submitText(way, joins)}
        </button>
        <FaultText fault={fault} of="all" />
      </form>
    </main>
  );
}

function submitText(way: Way, joins: boolean): string {
  const { serve, serving, join, joining } = TEXT.welcome;
  if (way === 'server') return joins ? serving : serve;
  return joins ? joining : join;
}

function Ways({ way, onWay }: Pick<SetUpProps, 'way' | 'onWay'>): JSX.Element {
  const words = TEXT.welcome;
  const ways = [
    ['invitation', words.haveInvitation, words.haveInvitationHow],
    ['server', words.haveNothing, words.haveNothingHow],
  ] as const;
  return (
    <fieldset class="ways">
      <legend>{words.choice}</legend>
      {ways.map(([each, label, how]) => (
        <label key={each} class="way">
          <input type="radio" name="way" checked={way === each} onChange={() => onWay(each)} />
          <span>
            <b>{label}</b>
            <span class="quiet">{how}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What was pasted is judged at once. */
function InvitationSays({ typed }: { readonly typed: string }): JSX.Element {
  const { kind, says } = invitationView(typed);
  return (
    <p id="invitation-says" class={kind === 'wrong' ? 'wrong' : 'right'} role="status">
      {lineText(says)}
    </p>
  );
}

function FaultText({ fault, of }: { fault: Fault | null; of: Fault['field'] }): JSX.Element | null {
  if (fault?.field !== of) return null;
  return (
    <p class="wrong" role="alert">
      {fault.text}
    </p>
  );
}

function faultOf(way: Way, { invitation, folder }: Typed): Fault | null {
  const words = TEXT.welcome;
  if (way === 'invitation') {
    const { kind, says } = invitationView(invitation);
    if (kind === 'empty') return { field: 'invitation', text: words.needInvitation };
    if (kind === 'wrong') return { field: 'invitation', text: says };
  }
  return folder.trim() === '' ? { field: 'folder', text: words.needFolder } : null;
}

/** What went wrong; null: it is paired. */
async function pair(setUp: SetUpTransport, way: Way, typed: Typed): Promise<Fault | null> {
  const [invitation, folder, name] = [typed.invitation.trim(), typed.folder.trim(), typed.name];
  try {
    await resultOf(
      way === 'server' ? setUp.serve(folder, name) : setUp.join(invitation, folder, name),
    );
    return null;
  } catch (error) {
    if (!(error instanceof CallError)) return { field: 'all', text: String(error) };
    const { code, message, remedy } = error;
    const field = code.startsWith('invitation')
      ? 'invitation'
      : code.startsWith('folder')
        ? 'folder'
        : 'all';
    const text = lineText(remedy === '' ? message : `${message}; ${remedy}`);
    return { field: way === 'server' && field === 'invitation' ? 'all' : field, text };
  }
}

interface FinishProps extends WelcomeProps {
  readonly status: StatusSnapshot;
  readonly way: Way;
}

/** It is paired: whether it starts by itself, and the folder to begin with. */
function Finish({ setUp, program, status, tell, way, onDone }: FinishProps): JSX.Element {
  const words = TEXT.welcome;
  const known = { kind: 'running', status } as const;
  const [atLogin, setAtLogin] = useState(true);
  const { folder } = status;
  const end = async (opens: boolean): Promise<void> => {
    await tell(resultOf(setUp.autostart(atLogin)), nothingToSay);
    if (opens) await tell(resultOf(setUp.open([], false)), nothingToSay);
    onDone();
  };
  return (
    <main class="message welcome" data-card="finish">
      <h1>{words.done}</h1>
      <p class="status-line" role="status">
        <ActivitySign activity={activityOf(known)} attention={attentionOf(known)} size={20} />
        <span data-state={status.state}>{headline(known, Date.now())}</span>
      </p>
      {folder !== null && <p>{words.doneHow(lineText(folder))}</p>}
      {way === 'server' && <p>{program === null ? words.doneServerHere : words.doneServer}</p>}
      <label class="choice">
        <input
          type="checkbox"
          checked={atLogin}
          onChange={(event) => setAtLogin(event.currentTarget.checked)}
        />{' '}
        {words.atLogin}
      </label>
      <p class="quiet">
        {words.atLoginHow} {way === 'server' && words.atLoginServer}
      </p>
      <div class="acts">
        {folder !== null && (
          <button type="button" class="strong" onClick={() => void end(true)}>
            {TEXT.home.openFolder}
          </button>
        )}
        <button type="button" onClick={() => void end(false)}>
          {words.finish}
        </button>
      </div>
    </main>
  );
}

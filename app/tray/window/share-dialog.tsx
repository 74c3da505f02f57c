/** Who uses a folder: its members with their rights, which are changed here, and a form that adds one. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AccessReport, ShareLook, SharesReport } from '../../../shared/control/access.ts';
import { has, USUAL_SETS } from '../../../shared/model/access-list.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { CallError, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import {
  memberLines,
  RIGHTS,
  whoShown,
  whoTyped,
  type MemberLine,
  type Right,
} from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import type { PlacedRow } from './pane-props.ts';
import { Glyph } from './sign.tsx';

/** Others may change the list meanwhile, of which nobody is told. */
const AGAIN_MS = 5000;

interface ShareProps {
  readonly api: Api;
  readonly volume: string;
  readonly row: PlacedRow;
  readonly onClose: () => void;
}

/** What is said of the last act. */
interface Said {
  readonly text: string;
  readonly isWrong: boolean;
}

type Told =
  { readonly person: string; readonly list: AccessReport | null } | { readonly why: string };

/** Shows who uses the folder, or why nobody can; with the daemon's own words where it refuses something. */
export function ShareDialog({ api, volume, row, onClose }: ShareProps): JSX.Element {
  const words = TEXT.shares;
  /** The volume that the folder shows; null: it is not shared yet. */
  const [shows, setShows] = useState(row.mounted?.volume ?? null);
  const [said, setSaid] = useState<Said | null>(null);
  const [works, setWorks] = useState(false);
  const [edition, setEdition] = useState(0);
  const look = useLook({ api, volume, path: row.path, shows, edition });
  const { told, again } = useAsked(() => ask(api, shows), shows, edition);
  useEffect(() => {
    const timer = setInterval(again, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);

  const run: Run = async (call, done) => {
    setWorks(true);
    const outcome = await call().then(
      (): Said => ({ text: done, isWrong: false }),
      (error: unknown): Said => ({ text: lineText(whyText(error)), isWrong: true }),
    );
    setWorks(false);
    setSaid(outcome);
    setEdition((n) => n + 1);
    return !outcome.isWrong;
  };
  const set: SetRights = (line, right) => {
    const { kind, name, negative } = line.row;
    const rights = right === null ? 0 : USUAL_SETS[right];
    const args = { volume: shows ?? '', kind, name, negative, rights };
    const done = right === null ? words.removed(line.who) : words.added(line.who, right);
    void run(() => api.command('set-access', args), done);
  };
  const add: Add = async (typed, right) => {
    const who = whoTyped(typed);
    const rights = USUAL_SETS[right];
    const call = async (): Promise<void> => {
      if (who === null) {
        throw new CallError({ code: 'usage', message: words.needWho, remedy: '' });
      }
      if (shows !== null) {
        const args = { volume: shows, ...who, negative: false, rights };
        return api.command('set-access', args);
      }
      const args = { volume, path: row.path, guests: [{ ...who, rights }] };
      setShows((await api.command<{ volume: string }>('share-folder', args)).volume);
    };
    const shown = who === null ? '' : whoShown(who);
    return run(call, words.added(shown, right));
  };

  return (
    <Dialog title={words.title(lineText(row.name))} onClose={onClose}>
      <p>{words.intro}</p>
      <Members {...{ told, works }} onSet={set} />
      {shows === null && <BeforeShared {...{ look, works }} />}
      {canShare(told, look) && <AddForm works={works} onAdd={add} />}
      <p role="alert" class={said?.isWrong === true ? 'warning' : 'quiet'} data-said="share">
        {said?.text}
      </p>
    </Dialog>
  );
}

type Run = (call: () => Promise<unknown>, done: string) => Promise<boolean>;
/** null: none. */
type SetRights = (line: MemberLine, right: Right | null) => void;
/** Resolves to whether it was taken. */
type Add = (typed: string, right: Right) => Promise<boolean>;

async function ask(api: Api, shows: string | null): Promise<Told> {
  try {
    const { person } = await api.command<SharesReport>('shares');
    if (shows === null) return { person, list: null };
    return { person, list: await api.command<AccessReport>('access', { volume: shows }) };
  } catch (error) {
    return { why: lineText(whyText(error)) };
  }
}

function whyText(error: unknown): string {
  if (!(error instanceof CallError)) return String(error);
  return error.remedy === '' ? error.message : `${error.message}; ${error.remedy}`;
}

/** A folder that is not shared yet was judged by the daemon. */
function canShare(told: Told | null, look: Looked | null): boolean {
  if (told === null || 'why' in told) return false;
  if (told.list !== null) return has(told.list.own, 'administer');
  return look !== null && !('why' in look);
}

/** What sharing would do, or why it can not be. */
type Looked = ShareLook | { readonly why: string };

interface LookAsked {
  readonly api: Api;
  readonly volume: string;
  readonly path: readonly string[];
  readonly shows: string | null;
  readonly edition: number;
}

/** Of a folder that is not shared yet; null until the daemon has looked. It looks once, and after each act: that may take a while. */
function useLook({ api, volume, path, shows, edition }: LookAsked): Looked | null {
  const [look, setLook] = useState<Looked | null>(null);
  useEffect(() => {
    if (shows !== null) return;
    void api.command<ShareLook>('share-look', { volume, path }).then(setLook, (error: unknown) => {
      setLook({ why: lineText(whyText(error)) });
    });
  }, [shows, edition]);
  return look;
}

function BeforeShared({
  look,
  works,
}: {
  readonly look: Looked | null;
  readonly works: boolean;
}): JSX.Element {
  const words = TEXT.shares;
  if (look === null) return <p class="quiet">{words.looking}</p>;
  if ('why' in look) return <p class="warning">{look.why}</p>;
  const says = look.isBegun
    ? words.begun
    : look.files > 0
      ? words.goAlong(look.files, sizeText(look.bytes))
      : '';
  return (
    <p class="quiet" data-said="before" role="status">
      {works && look.files > 0 ? words.moving : says}
    </p>
  );
}

interface MembersProps {
  readonly told: Told | null;
  readonly works: boolean;
  readonly onSet: SetRights;
}

function Members({ told, works, onSet }: MembersProps): JSX.Element {
  const words = TEXT.shares;
  if (told === null) return <p class="quiet">{words.looking}</p>;
  if ('why' in told) return <p class="warning">{told.why}</p>;
  const { list, person } = told;
  const lines = list === null ? [] : memberLines(list, person);
  return (
    <>
      {lines.length > 0 && (
        <ul class="rows" aria-label={words.members} data-list="members">
          {lines.map((line) => (
            <Member key={line.key} {...{ line, works, onSet }} />
          ))}
        </ul>
      )}
      {lines.length < 2 && <p class="quiet">{words.nobody}</p>}
      {list !== null && !has(list.own, 'administer') && <p class="quiet">{words.notYours}</p>}
    </>
  );
}

interface MemberProps {
  readonly line: MemberLine;
  readonly works: boolean;
  readonly onSet: SetRights;
}

function Member({ line, works, onSet }: MemberProps): JSX.Element {
  const words = TEXT.shares;
  const { who, may, right, canChange, row } = line;
  return (
    <li class="line" data-member={row.name}>
      <Glyph of={row.kind === 'team' ? 'people' : 'person'} />
      <span class="line-words">
        <b>{who}</b> {!(canChange && right !== null) && <span class="quiet">{may}</span>}
      </span>
      {canChange && right !== null && (
        <RightSelect
          {...{ label: words.rightOf(who), right, works }}
          onRight={(to) => onSet(line, to)}
        />
      )}
      {canChange && (
        <button
          type="button"
          aria-label={words.removeOf(who)}
          disabled={works}
          onClick={() => onSet(line, null)}
        >
          {words.remove}
        </button>
      )}
    </li>
  );
}

interface SelectProps {
  readonly label: string;
  readonly right: Right;
  readonly works: boolean;
  readonly onRight: (right: Right) => void;
}

function RightSelect({ label, right, works, onRight }: SelectProps): JSX.Element {
  return (
    <select
      aria-label={label}
      disabled={works}
      value={right}
      onChange={(event) => onRight(event.currentTarget.value as Right)}
    >
      {RIGHTS.map((each) => (
        <option key={each} value={each}>
          {TEXT.shares.may(each)}
        </option>
      ))}
    </select>
  );
}

function AddForm({ works, onAdd }: { readonly works: boolean; readonly onAdd: Add }): JSX.Element {
  const words = TEXT.shares;
  const [typed, setTyped] = useState('');
  const [right, setRight] = useState<Right>('write');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (works) return;
    void onAdd(typed, right).then((isTaken) => {
      if (isTaken) setTyped('');
    });
  };
  return (
    <form class="acts share-form" onSubmit={submit}>
      <Field
        {...{ id: 'share-who', label: words.who, hint: words.whoHint }}
        value={typed}
        onValue={setTyped}
      />
      <RightSelect {...{ label: words.right, right, works }} onRight={setRight} />
      <button type="submit" class="strong" data-act="share-with" disabled={works}>
        {words.add}
      </button>
    </form>
  );
}

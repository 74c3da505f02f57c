/** What can be done with the files and folders that are selected: have them here or not, say who uses them, make a group of them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CacheReport } from '../../../shared/control/cache.ts';
import { SHARING_WORDS, type SharingWord } from '../../../shared/control/sharing.ts';
import { CACHE_ACTS, type CacheAct } from '../../../shared/model/cache.ts';
import { CallError, type Api } from '../view/api.ts';
import { cacheOutcome, selectionText } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import type { PlacedRow, Selected } from './pane-props.ts';
import type { Tell } from './toast.tsx';

interface ActsProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly volume: string;
  readonly rows: readonly PlacedRow[];
  readonly onDone: () => void;
  /** Left out: the selection is not of the list. */
  readonly onNone?: () => void;
  /** Groups and sharing alone: the rest stands elsewhere. */
  readonly isWide?: boolean;
}

/** Waits for a call and shows its outcome; clears the selection if it succeeded. */
type Run = <T>(call: () => Promise<T>, said: (result: T) => string) => Promise<void>;

/**
 * Shows what can be done with the selected files and folders, and does it for one after the other.
 */
export function FileActs(props: ActsProps): JSX.Element {
  const { api, tell, volume, rows, onDone, onNone, isWide = false } = props;
  const [works, setWorks] = useState(false);
  const [isMore, setMore] = useState(isWide);
  const selected = rows.map(({ path, fid }): Selected => ({ volume, path, fid }));

  /** Works on the selected files one after the other; the first failure ends it, and is shown. */
  const run: Run = async (call, said) => {
    setWorks(true);
    const result = await tell(call(), said);
    setWorks(false);
    if (result !== undefined) onDone();
  };
  const act = (which: CacheAct): void => {
    const call = async (): Promise<CacheReport[]> => {
      const reports: CacheReport[] = [];
      for (const { path } of selected) {
        reports.push(await api.command<CacheReport>('cache', { act: which, volume, path }));
      }
      return reports;
    };
    void run(call, (reports) => cacheOutcome(which, reports));
  };

  return (
    <div role="group" aria-label={TEXT.files.actsLabel} class="file-acts">
      {!isWide && (
        <div class="acts">
          <b aria-live="polite">{works ? TEXT.files.working : selectionText(rows)}</b>
          {CACHE_ACTS.map((each) => (
            <button
              key={each}
              type="button"
              data-act={each}
              disabled={works}
              onClick={() => act(each)}
            >
              {TEXT.files.act(each)}
            </button>
          ))}
          <button type="button" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
            {TEXT.files.more}
          </button>
          <button type="button" class="bare" onClick={onNone}>
            {TEXT.files.unselect}
          </button>
        </div>
      )}
      {isMore && (
        <>
          <p class="quiet">{TEXT.sharing.intro}</p>
          <ShareForm {...{ api, selected, run, works }} />
          <p class="quiet">{TEXT.groups.intro}</p>
          <GroupForm {...{ api, selected, run, works }} />
        </>
      )}
    </div>
  );
}

interface FormProps {
  readonly api: Api;
  readonly selected: readonly Selected[];
  readonly run: Run;
  /** Something is being done. */
  readonly works: boolean;
}

function ShareForm({ api, selected, run, works }: FormProps): JSX.Element {
  const [word, setWord] = useState<SharingWord>('shared');
  const share = async (): Promise<number> => {
    for (const { fid } of selected) await api.command('sharing-order', { fid, order: word });
    return selected.length;
  };
  return (
    <div class="acts">
      <select
        aria-label={TEXT.sharing.label}
        value={word}
        onChange={(event) => setWord(event.currentTarget.value as SharingWord)}
      >
        {SHARING_WORDS.map((each) => (
          <option key={each} value={each}>
            {TEXT.sharing.word(each)}
          </option>
        ))}
      </select>
      <button
        type="button"
        data-act="share"
        disabled={works}
        onClick={() => void run(share, TEXT.sharing.said)}
      >
        {TEXT.sharing.set}
      </button>
    </div>
  );
}

function GroupForm({ api, selected, run, works }: FormProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const make = async (): Promise<string> => {
    const name = typed.trim();
    const { needName } = TEXT.groups;
    if (name === '') throw new CallError({ code: 'usage', message: needName, remedy: '' });
    const files = selected.map(({ fid }) => fid);
    const volume = selected[0]?.volume ?? '';
    await api.command('group-order', { act: 'create', volume, name, files });
    setTyped('');
    return name;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!works) void run(make, (name) => TEXT.groups.made(lineText(name)));
  };
  return (
    <form class="acts" onSubmit={submit}>
      <Field
        {...{ id: 'group-name', label: TEXT.groups.name, hint: '' }}
        value={typed}
        onValue={setTyped}
      />
      <button type="submit" data-act="group" disabled={works}>
        {TEXT.groups.make}
      </button>
    </form>
  );
}

/** What can be done with the files and folders that are selected: have them here or not, say who uses them, make a group of them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CacheReport } from '../../../shared/control/cache.ts';
import { SHARING_WORDS, type SharingWord } from '../../../shared/control/sharing.ts';
import { CACHE_ACTS, type CacheAct } from '../../../shared/model/cache.ts';
import { CallError, type Api } from '../view/api.ts';
import { cacheOutcome } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import type { Selected } from './pane-props.ts';
import type { Tell } from './toast.tsx';

interface ActsProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly selected: readonly Selected[];
  readonly onDone: () => void;
}

/** Waits for a call and says what came of it; what is selected is not selected any more where it went well. */
type Run = <T>(call: () => Promise<T>, said: (result: T) => string) => Promise<void>;

/**
 * Shows what can be done with the selected files and folders, and does it for one after the other.
 */
export function FileActs({ api, tell, selected, onDone }: ActsProps): JSX.Element {
  const [works, setWorks] = useState(false);
  const nothing = selected.length === 0 || works;

  /** One thing after the other: the first that fails ends it, and is told. */
  const run: Run = async (call, said) => {
    setWorks(true);
    const result = await tell(call(), said);
    setWorks(false);
    if (result !== undefined) onDone();
  };
  const act = (which: CacheAct): void => {
    const call = async (): Promise<CacheReport[]> => {
      const reports: CacheReport[] = [];
      for (const { volume, path } of selected) {
        reports.push(await api.command<CacheReport>('cache', { act: which, volume, path }));
      }
      return reports;
    };
    void run(call, (reports) => cacheOutcome(which, reports));
  };

  return (
    <div role="group" aria-label={TEXT.files.actsLabel} class="file-acts">
      <p class="quiet" aria-live="polite">
        {works ? TEXT.files.working : TEXT.files.selected(selected.length)}
      </p>
      <div class="acts">
        {CACHE_ACTS.map((each) => (
          <button
            key={each}
            type="button"
            data-act={each}
            disabled={nothing}
            onClick={() => act(each)}
          >
            {TEXT.files.act(each)}
          </button>
        ))}
      </div>
      <ShareForm {...{ api, selected, run, nothing }} />
      <GroupForm {...{ api, selected, run, nothing }} />
    </div>
  );
}

interface FormProps extends Pick<ActsProps, 'api' | 'selected'> {
  readonly run: Run;
  /** There is nothing to do it with, or something is being done. */
  readonly nothing: boolean;
}

function ShareForm({ api, selected, run, nothing }: FormProps): JSX.Element {
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
        disabled={nothing}
        onClick={() => void run(share, TEXT.sharing.said)}
      >
        {TEXT.sharing.set}
      </button>
    </div>
  );
}

function GroupForm({ api, selected, run, nothing }: FormProps): JSX.Element {
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
    if (!nothing) void run(make, (name) => TEXT.groups.made(lineText(name)));
  };
  return (
    <form class="acts" onSubmit={submit}>
      <Field
        {...{ id: 'group-name', label: TEXT.groups.name, hint: '' }}
        value={typed}
        onValue={setTyped}
      />
      <button type="submit" data-act="group" disabled={nothing}>
        {TEXT.groups.make}
      </button>
    </form>
  );
}

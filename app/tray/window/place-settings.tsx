/** Where the server answers, and where the folder is: a form for each, since each is a thing of its own to go wrong. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { FolderField } from './folder-field.tsx';
import type { Tell } from './toast.tsx';

interface PlacesProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Shows the address of the server and the place of the folder, each in a form of its own. */
export function PlaceSettings({ api, status, tell }: PlacesProps): JSX.Element {
  const words = TEXT.settings;
  const { server, folder, revision } = status;
  return (
    <section class="card" aria-labelledby="places-title">
      <h2 id="places-title">{folder === null ? words.serverPlace : words.places}</h2>
      {folder !== null && (
        <PlaceForm
          {...{ tell, revision, shown: folder, about: words.folderIntro }}
          act={words.moveFolder}
          save={(path) => api.command('folder-place', { path })}
          field={(typed) => (
            <FolderField
              {...{ id: 'folder-place', label: words.folder, program: api.carrier.program, tell }}
              {...typed}
            />
          )}
        />
      )}
      <PlaceForm
        {...{ tell, revision, shown: server.address, about: words.serverIntro }}
        act={words.moveServer}
        save={(address) => api.command('server-address', { address })}
        field={(typed) => (
          <Field {...{ id: 'server-address', label: words.server, hint: '', ...typed }} />
        )}
      />
    </section>
  );
}

interface Typed {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

interface Input {
  /** null: nothing was typed yet. */
  readonly text: string | null;
  /** The revision of the status that was known when it was saved; null: it is not. */
  readonly savedAt: number | null;
}

const NOTHING: Input = { text: null, savedAt: null };

interface FormProps {
  readonly tell: Tell;
  /** As the daemon has it. */
  readonly shown: string;
  readonly revision: number;
  readonly about: string;
  /** On its button. */
  readonly act: string;
  readonly save: (value: string) => Promise<unknown>;
  readonly field: (typed: Typed) => ComponentChildren;
}

function PlaceForm({ tell, shown, revision, about, act, save, field }: FormProps): JSX.Element {
  const words = TEXT.settings;
  const [typed, setTyped] = useState<Input>(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const { text, savedAt } = typed;
  // The status comes after the answer: until then what was saved stays as it was typed.
  const isTold = text === null || (savedAt !== null && savedAt !== revision);
  const value = isTold ? shown : text;

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const done = await tell(
      save(value.trim()).then(() => true),
      () => words.saved,
    );
    // What was typed meanwhile is not saved.
    if (done === true) {
      setTyped((now) => (now === typed ? { text: value, savedAt: revision } : now));
    }
    setBusy(false);
  };
  const onValue = (now: string): void => setTyped({ text: now, savedAt: null });

  return (
    <form onSubmit={(event) => void submit(event)}>
      <p class="quiet">{about}</p>
      {field({ value, onValue })}
      <div class="acts">
        <button type="submit" aria-disabled={isBusy || value === shown}>
          {act}
        </button>
      </div>
    </form>
  );
}

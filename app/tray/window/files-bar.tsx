/** Where a person is among the files, and the ways elsewhere: up, another volume, a search, what was deleted, an undo. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Glyph } from './sign.tsx';

interface BarProps {
  readonly status: StatusSnapshot;
  readonly volume: string;
  readonly crumbs: ReadonlyArray<{ readonly name: string; readonly path: readonly string[] }>;
  readonly sought: string;
  readonly showsDeleted: boolean;
  readonly onGo: (path: readonly string[]) => void;
  readonly onVolume: (name: string) => void;
  readonly onSought: (text: string) => void;
  readonly onDeleted: (shows: boolean) => void;
  readonly onUndo: () => void;
}

/** A search begins when nobody has typed for so long. */
const TYPING_MS = 200;

/** Shows the bar. The search is told when a person has stopped typing, or presses Enter. */
export function FilesBar(props: BarProps): JSX.Element {
  const { status, volume, showsDeleted, onVolume, onDeleted, onUndo } = props;
  const words = TEXT.files;
  return (
    <div class="files-bar">
      <div class="place">
        {status.volumes.length > 1 && (
          <select
            aria-label={words.volume}
            value={volume}
            onChange={(event) => onVolume(event.currentTarget.value)}
          >
            {status.volumes.map(({ name }) => (
              <option key={name} value={name}>
                {lineText(name)}
              </option>
            ))}
          </select>
        )}
        <Crumbs {...props} />
      </div>
      <div class="files-ways">
        <Search {...props} />
        <button type="button" aria-pressed={showsDeleted} onClick={() => onDeleted(!showsDeleted)}>
          <Glyph of="bin" /> {words.deleted}
        </button>
        <button type="button" onClick={onUndo}>
          <Glyph of="undo" /> {words.undo}
        </button>
      </div>
    </div>
  );
}

function Crumbs({ crumbs: all, onGo }: BarProps): JSX.Element {
  return (
    <ol class="crumbs" aria-label={TEXT.files.path}>
      {all.map(({ name, path: to }, at) => (
        <li key={to.join('/')}>
          <button
            type="button"
            class="bare"
            aria-current={at === all.length - 1 ? 'location' : undefined}
            onClick={() => onGo(to)}
          >
            {name}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Search({ sought, onSought, onDeleted }: BarProps): JSX.Element {
  const [typed, setTyped] = useState(sought);
  useEffect(() => setTyped(sought), [sought]);
  useEffect(() => {
    if (typed.trim() === sought) return;
    const timer = setTimeout(() => onSought(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSought(typed.trim());
      }}
    >
      <Glyph of="search" />
      <input
        type="search"
        id="files-search"
        autocomplete="off"
        spellcheck={false}
        maxLength={255}
        aria-label={TEXT.files.searchHint}
        placeholder={TEXT.files.search}
        value={typed}
        onInput={(event) => {
          onDeleted(false);
          setTyped(event.currentTarget.value);
        }}
      />
    </form>
  );
}

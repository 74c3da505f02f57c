/** A button that becomes a field for a new name. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';

interface RenameProps {
  readonly name: string;
  /** Resolves to undefined where the name was refused: it stays in the field. */
  readonly onName: (name: string) => Promise<unknown>;
}

/** Shows the button, and the field once it was pressed. */
export function Rename({ name, onName }: RenameProps): JSX.Element {
  const words = TEXT.settings;
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === null) {
    const label = words.renameOf(lineText(name));
    return (
      <button type="button" aria-label={label} onClick={() => setTyped(name)}>
        {words.rename}
      </button>
    );
  }
  const save = async (): Promise<void> => {
    const to = typed.trim();
    if (to === name || (await onName(to)) !== undefined) setTyped(null);
  };
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        type="text"
        aria-label={words.newName(lineText(name))}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="strong">
        {words.saveName}
      </button>
      <button type="button" onClick={() => setTyped(null)}>
        {words.keepName}
      </button>
    </form>
  );
}

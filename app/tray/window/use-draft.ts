/** What a person has changed in the settings and not saved: one button saves all of it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { TEXT } from '../view/text.ts';
import type { Tell } from './toast.tsx';

type Save = () => Promise<unknown>;

export interface Draft {
  /** Whether something is not saved. */
  readonly isOpen: boolean;
  /** A part has something to save; null: it has not. */
  note(part: string, save: Save | null): void;
  /** Saves one part after the other; the first that is refused ends it, and is shown. */
  save(): void;
}

/** The draft of a pane. */
export function useDraft(tell: Tell): Draft {
  const parts = useRef(new Map<string, Save>());
  const [open, setOpen] = useState(0);
  const saveAll = async (): Promise<void> => {
    for (const save of [...parts.current.values()]) await save();
  };
  return {
    isOpen: open > 0,
    note(part, save) {
      if (save === null) parts.current.delete(part);
      else parts.current.set(part, save);
      setOpen(parts.current.size);
    },
    save: () => void tell(saveAll(), () => TEXT.settings.saved),
  };
}

/** Tells the draft what a part would save, as it is now: at once, and not after the browser has drawn, for Enter may follow before that. */
export function useDraftPart(draft: Draft, part: string, isChanged: boolean, save: Save): void {
  useLayoutEffect(() => draft.note(part, isChanged ? save : null));
  useLayoutEffect(() => () => draft.note(part, null), [part]);
}

/** Whether what was typed is not what was told. */
export const differs = (a: object, b: object): boolean => JSON.stringify(a) !== JSON.stringify(b);

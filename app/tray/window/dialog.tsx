/** A window in the window, which a person closes before going on. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { TEXT } from '../view/text.ts';
import { Glyph } from './sign.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Shows its children in a dialog until it is closed by its button or Escape; the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="bare" aria-label={TEXT.actions.close} onClick={onClose}>
          <Glyph of="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

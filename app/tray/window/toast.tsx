/** The outcome of a person's last act, which screen readers announce at once. */
import type { JSX } from 'preact';
import { CallError } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';

export interface ToastText {
  readonly text: string;
  readonly isWrong: boolean;
  readonly act?: ToastAct | undefined;
}

/** What can be done about it, such as taking it back. */
export interface ToastAct {
  readonly label: string;
  readonly run: () => void;
}

/** What is said of a call that was carried out: a text, one with an act, or null for nothing. */
export type Said = string | null | { readonly text: string; readonly act: ToastAct };

/**
 * Waits for a call; shows why it failed, or the text of `done` if that is given. The text before is removed, unless `done` gives null. Resolves to
 * its result, or undefined if it failed.
 */
export type Tell = <T>(call: Promise<T>, done?: (result: T) => Said) => Promise<T | undefined>;

/** For a call that no person made: the outcome of their last act stays. */
export const nothingToSay = (): null => null;

/**
 * Makes a function that waits for a call and shows its outcome. It gives undefined if the call
 * failed. A text of null says nothing; without a text, the last one is cleared.
 */
export function teller(say: (said: ToastText | null) => void): Tell {
  return async (call, done) => {
    try {
      const result = await call;
      const said = done?.(result);
      if (said === undefined) say(null);
      else if (typeof said === 'string') say({ text: said, isWrong: false });
      else if (said !== null) say({ ...said, isWrong: false });
      return result;
    } catch (error) {
      say({ text: lineText(wordsOf(error)), isWrong: true });
      return undefined;
    }
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof CallError)) return String(error);
  return error.remedy === '' ? error.message : `${error.message}; ${error.remedy}`;
}

interface ToastProps {
  readonly said: ToastText | null;
  readonly onClose: () => void;
}

/** Always there, so that a screen reader watches it. */
export function Toast({ said, onClose }: ToastProps): JSX.Element {
  return (
    <div class="toast-place" role={said?.isWrong === true ? 'alert' : 'status'}>
      {said !== null && (
        <p class={said.isWrong ? 'toast toast-wrong' : 'toast'}>
          <span class="toast-text">{said.text}</span>{' '}
          {said.act !== undefined && (
            <button
              type="button"
              onClick={() => {
                onClose();
                said.act?.run();
              }}
            >
              {said.act.label}
            </button>
          )}
          <button
            type="button"
            class="bare"
            aria-label={TEXT.actions.dismissMessage}
            onClick={onClose}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

/** What came of the last thing a person asked for: said once, and to screen readers at once. */
import type { JSX } from 'preact';
import { CallError } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';

export interface ToastText {
  readonly text: string;
  readonly isWrong: boolean;
}

/**
 * Waits for a call; says why it failed, or `done` where that is given. What was said before goes, unless `done` has nothing to say instead.
 * Resolves to its result, or undefined where it failed.
 */
export type Tell = <T>(
  call: Promise<T>,
  done?: (result: T) => string | null,
) => Promise<T | undefined>;

/** Of a question that no person asked: what was said of their last act stays. */
export const nothingToSay = (): null => null;

/**
 * Makes a function that waits for a call and says what came of it. It gives undefined if the call
 * failed. A text of null says nothing; without a text, the last one is cleared.
 */
export function teller(say: (said: ToastText | null) => void): Tell {
  return async (call, done) => {
    try {
      const result = await call;
      const text = done?.(result);
      if (text !== null) say(text === undefined ? null : { text, isWrong: false });
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
          {said.text}{' '}
          <button type="button" aria-label={TEXT.actions.dismissMessage} onClick={onClose}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

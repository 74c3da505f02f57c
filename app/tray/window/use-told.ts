/** What the daemon has set, as a part of the settings shows it. */
import { useEffect, useState } from 'preact/hooks';
import { nothingToSay, type Tell } from './toast.tsx';

/**
 * Null until the daemon has told: a form that stands there before would lose what is typed into it, and send what nobody has set.
 * `show` takes what it tells later; undefined, of a call that failed, changes nothing.
 */
export function useTold<S>(
  tell: Tell,
  ask: () => Promise<S>,
): { readonly told: S | null; readonly show: (told: S | undefined) => void } {
  const [told, setTold] = useState<S | null>(null);
  const show = (now: S | undefined): void => {
    if (now !== undefined) setTold(now);
  };
  useEffect(() => void tell(ask(), nothingToSay).then(show), []);
  return { told, show };
}

/** What a person has said of in this browser, "it was meant": it is not shown again, also after the page was opened anew. */
import { useState } from 'preact/hooks';

/** Of older ones the status tells no more. */
const MOST_MEANT = 50;

/** The keys that were said of, which have no spaces; and what says it of one. `place`: where the browser keeps them. */
export function useMeant(place: string): [ReadonlySet<string>, (key: string) => void] {
  const [meant, setMeant] = useState(
    (): ReadonlySet<string> => new Set((localStorage.getItem(place) ?? '').split(' ')),
  );
  const end = (key: string): void => {
    const now = new Set([...[...meant].slice(-MOST_MEANT), key]);
    localStorage.setItem(place, [...now].join(' '));
    setMeant(now);
  };
  return [meant, end];
}

/** Offers that a person has put off in this browser: they are kept there until the person wants to see them again. */
import { useState } from 'preact/hooks';

const PLACE = 'godwit-offers-put-off';
const MOST_KEPT = 200;

export interface PutOff {
  readonly has: (volume: string) => boolean;
  readonly add: (volume: string) => void;
  readonly clear: () => void;
}

/** By the names of their volumes. */
export function usePutOff(): PutOff {
  const [names, setNames] = useState<readonly string[]>(kept);
  const keep = (next: readonly string[]): void => {
    localStorage.setItem(PLACE, JSON.stringify(next.slice(-MOST_KEPT)));
    setNames(next);
  };
  return {
    has: (volume) => names.includes(volume),
    add: (volume) => keep([...names.filter((name) => name !== volume), volume]),
    clear: () => keep([]),
  };
}

/** What another version has kept, or another page, may be anything. */
function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '[]');
    if (!Array.isArray(found)) return [];
    return found.filter((name): name is string => typeof name === 'string');
  } catch {
    return [];
  }
}

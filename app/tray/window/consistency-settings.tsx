/** How others are kept from reading what is old, and what is read here of laptops that are away. */
import type { JSX } from 'preact';
import {
  AWAY_READS,
  INVALIDATIONS,
  STORE_PRIORITIES,
  type ConsistencySettings as Settings,
} from '../../../shared/model/consistency.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import type { Tell } from './toast.tsx';
import { useTold } from './use-told.ts';

interface ConsistencyProps {
  readonly api: Api;
  readonly tell: Tell;
}

/** What is chosen holds at once. */
export function ConsistencySettings({ api, tell }: ConsistencyProps): JSX.Element {
  const words = TEXT.settings;
  const ask = () => api.command<Settings>('consistency', {});
  const { told: settings, show } = useTold(tell, ask);
  const change = (part: Partial<Settings>): void => {
    void tell(api.command<Settings>('consistency', part), () => words.saved).then(show);
  };
  return (
    <section class="card" aria-labelledby="consistency-title">
      <h2 id="consistency-title">{words.consistency}</h2>
      <Choice
        {...{ name: 'invalidations', label: words.invalidations, values: INVALIDATIONS }}
        chosen={settings?.invalidations ?? null}
        says={words.invalidation}
        onChoose={(invalidations) => change({ invalidations })}
      />
      <Choice
        {...{ name: 'store-priorities', label: words.priorities, values: STORE_PRIORITIES }}
        chosen={settings?.storePriorities ?? null}
        says={words.priority}
        onChoose={(storePriorities) => change({ storePriorities })}
      />
      <Choice
        {...{ name: 'away-reads', label: words.awayReads, values: AWAY_READS }}
        chosen={settings?.awayReads ?? null}
        says={words.away}
        onChoose={(awayReads) => change({ awayReads })}
      />
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly values: readonly T[];
  readonly chosen: T | null;
  readonly says: (value: T) => string;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>(props: ChoiceProps<T>): JSX.Element {
  const { name, label, values, chosen, says, onChoose } = props;
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {values.map((value) => (
        <label class="choice" key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={chosen === value}
            onChange={() => onChoose(value)}
          />{' '}
          {says(value)}
        </label>
      ))}
    </fieldset>
  );
}

/** How others are kept from reading what is old, and what is read here of laptops that are away. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SETTING_FIELDS } from '../../../shared/control/setting-fields.ts';
import {
  DEFAULT_CONSISTENCY,
  type ConsistencySettings as Settings,
} from '../../../shared/model/consistency.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { DraftForm } from './draft-form.tsx';
import { Choice } from './field.tsx';
import type { Tell } from './toast.tsx';
import { differs, useDraftPart, type Draft } from './use-draft.ts';
import { useTold } from './use-told.ts';

interface ConsistencyProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly draft: Draft;
}

/** Shows the choices, as soon as the daemon has told what holds. */
export function ConsistencySettings({ api, tell, draft }: ConsistencyProps): JSX.Element {
  const ask = () => api.command<Settings>('consistency', {});
  const { told, show } = useTold(tell, ask);
  return (
    <section class="card" aria-labelledby="consistency-title">
      <h2 id="consistency-title">{TEXT.settings.consistency}</h2>
      {told !== null && <ConsistencyForm {...{ api, draft, settings: told, onSaved: show }} />}
    </section>
  );
}

interface FormProps extends Omit<ConsistencyProps, 'tell'> {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function ConsistencyForm({ api, draft, settings, onSaved }: FormProps): JSX.Element {
  const [chosen, setChosen] = useState(settings);
  const save = async (): Promise<void> => {
    const now = await api.command<Settings>('consistency', chosen);
    onSaved(now);
    setChosen(now);
  };
  useDraftPart(draft, 'consistency', differs(chosen, settings), save);
  // Of these nobody knows who has not set them, by a command.
  const usual = { ...DEFAULT_CONSISTENCY, awayReads: settings.awayReads };
  const isChanged = differs({ ...usual, ...settings }, usual);
  const change = (part: Partial<Settings>): void => setChosen({ ...chosen, ...part });
  return (
    <DraftForm draft={draft}>
      <Choice
        {...{ name: 'away-reads', field: SETTING_FIELDS['reader.away'] }}
        chosen={chosen.awayReads}
        onChoose={(awayReads) => change({ awayReads })}
      />
      {isChanged && (
        <>
          <p class="quiet">{TEXT.settings.experiments}</p>
          <Choice
            {...{ name: 'invalidations', field: SETTING_FIELDS['writer.invalidations'] }}
            chosen={chosen.invalidations}
            onChoose={(invalidations) => change({ invalidations })}
          />
          <Choice
            {...{ name: 'store-priorities', field: SETTING_FIELDS['writer.store-priorities'] }}
            chosen={chosen.storePriorities}
            onChoose={(storePriorities) => change({ storePriorities })}
          />
          <Choice
            {...{ name: 'validations', field: SETTING_FIELDS['reader.validations'] }}
            chosen={chosen.validations}
            onChoose={(validations) => change({ validations })}
          />
        </>
      )}
    </DraftForm>
  );
}

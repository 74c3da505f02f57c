/** How changes are sent: in which order, how soon, and how much may wait. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SETTING_FIELDS } from '../../../shared/control/setting-fields.ts';
import type { WritebackSettings as Settings } from '../../../shared/model/writeback.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { DraftForm } from './draft-form.tsx';
import { Amount, amountOf, Choice } from './field.tsx';
import type { Tell } from './toast.tsx';
import { differs, useDraftPart, type Draft } from './use-draft.ts';
import { useTold } from './use-told.ts';

const {
  'writeback.policy': POLICY,
  'writeback.delay': DELAY,
  'writeback.dirty-limit': LIMIT,
} = SETTING_FIELDS;

interface WritebackProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly draft: Draft;
}

/** Shows the settings of writeback in a form, as soon as the daemon has told them. */
export function WritebackSettings({ api, tell, draft }: WritebackProps): JSX.Element {
  // An empty change only asks.
  const { told, show } = useTold(tell, () => api.command<Settings>('writeback', {}));
  return (
    <section class="card" aria-labelledby="writeback-title">
      <h2 id="writeback-title">{TEXT.settings.writeback}</h2>
      {told !== null && <WritebackForm {...{ api, tell, draft, settings: told, onSaved: show }} />}
    </section>
  );
}

interface FormProps extends WritebackProps {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function typedOf({ policy, delay, dirtyLimit }: Settings) {
  return {
    policy,
    delay: amountInput(delay, DELAY),
    limit: amountInput(dirtyLimit, LIMIT),
  };
}

function WritebackForm({ api, draft, settings, onSaved }: FormProps): JSX.Element {
  const [typed, setTyped] = useState(() => typedOf(settings));
  const { policy, delay, limit } = typed;
  const save = async (): Promise<void> => {
    const delayMs = amountOf(DELAY, delay) ?? 0;
    // Nothing at all may wait: that would be the end of writing, and means: by the disk.
    const dirtyLimit = /^0*$/.test(limit.trim()) ? null : amountOf(LIMIT, limit);
    const now = await api.command<Settings>('writeback', { policy, delayMs, dirtyLimit });
    onSaved(now);
    setTyped(typedOf(now));
  };
  useDraftPart(draft, 'writeback', differs(typed, typedOf(settings)), save);
  const change = (part: Partial<typeof typed>): void => setTyped({ ...typed, ...part });
  return (
    <DraftForm draft={draft}>
      <Choice
        {...{ name: 'policy', field: POLICY, chosen: policy }}
        onChoose={(chosen) => change({ policy: chosen })}
      />
      <div class="fields">
        <Amount
          {...{ id: 'delay', field: DELAY, value: delay }}
          onValue={(value) => change({ delay: value })}
        />
        <Amount
          {...{ id: 'dirty-limit', field: LIMIT, value: limit }}
          onValue={(value) => change({ limit: value })}
        />
      </div>
    </DraftForm>
  );
}

/** How changes are sent: in which order, how soon, and how much may wait. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  WRITEBACK_POLICIES,
  type WritebackSettings as Settings,
} from '../../../shared/model/writeback.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { amountOf } from './network-settings.tsx';
import type { Tell } from './toast.tsx';
import { useTold } from './use-told.ts';

const MEGABYTE = 1_000_000;
const SECOND_MS = 1000;

interface WritebackProps {
  readonly api: Api;
  readonly tell: Tell;
}

/** Shows the settings of writeback in a form, as soon as the daemon has told them. */
export function WritebackSettings({ api, tell }: WritebackProps): JSX.Element {
  // An empty change only asks.
  const { told, show } = useTold(tell, () => api.command<Settings>('writeback', {}));
  return (
    <section class="card" aria-labelledby="writeback-title">
      <h2 id="writeback-title">{TEXT.settings.writeback}</h2>
      {told !== null && <WritebackForm {...{ api, tell, settings: told, onSaved: show }} />}
    </section>
  );
}

interface FormProps extends WritebackProps {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function WritebackForm({ api, tell, settings, onSaved }: FormProps): JSX.Element {
  const words = TEXT.settings;
  const [policy, setPolicy] = useState(settings.policy);
  const [delay, setDelay] = useState(amountInput(settings.delay, SECOND_MS));
  const [limit, setLimit] = useState(amountInput(settings.dirtyLimit, MEGABYTE));
  const show = (now: Settings | undefined): void => {
    if (now === undefined) return;
    onSaved(now);
    setPolicy(now.policy);
    setDelay(amountInput(now.delay, SECOND_MS));
    setLimit(amountInput(now.dirtyLimit, MEGABYTE));
  };

  const save = (event: Event): void => {
    event.preventDefault();
    const call = async (): Promise<Settings> => {
      const delayMs = amountOf(words.delay, delay, SECOND_MS) ?? 0;
      const dirtyLimit = amountOf(words.dirtyLimit, limit, MEGABYTE);
      // Nothing at all may wait: that would be the end of writing, and means: by the disk.
      const most = dirtyLimit === 0 ? null : dirtyLimit;
      return api.command<Settings>('writeback', { policy, delayMs, dirtyLimit: most });
    };
    void tell(call(), () => words.saved).then(show);
  };

  return (
    <form onSubmit={save}>
      <fieldset>
        <legend>{words.policy}</legend>
        {WRITEBACK_POLICIES.map((each) => (
          <label class="choice" key={each}>
            <input
              type="radio"
              name="policy"
              value={each}
              checked={policy === each}
              onChange={() => setPolicy(each)}
            />{' '}
            {words.policies(each)}
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <Field
          {...{ id: 'delay', label: words.delay, hint: '0', isNumber: true }}
          value={delay}
          onValue={setDelay}
        />
        <Field
          {...{ id: 'dirty-limit', label: words.dirtyLimit, hint: words.byDisk, isNumber: true }}
          value={limit}
          onValue={setLimit}
        />
      </div>
      <div class="acts">
        <button type="submit">{words.save}</button>
      </div>
    </form>
  );
}

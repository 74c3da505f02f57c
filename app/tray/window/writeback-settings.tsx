/** How changes are sent: in which order, how soon, and how much may wait. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  WRITEBACK_POLICIES,
  type WritebackPolicy,
  type WritebackSettings as Settings,
} from '../../../shared/model/writeback.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { amountOf } from './network-settings.tsx';
import type { Tell } from './toast.tsx';

const MEGABYTE = 1_000_000;
const SECOND_MS = 1000;

interface WritebackProps {
  readonly api: Api;
  readonly tell: Tell;
}

export function WritebackSettings({ api, tell }: WritebackProps): JSX.Element {
  const words = TEXT.settings;
  const [policy, setPolicy] = useState<WritebackPolicy>('async');
  const [delay, setDelay] = useState('');
  const [limit, setLimit] = useState('');
  const show = (settings: Settings | undefined): void => {
    if (settings === undefined) return;
    setPolicy(settings.policy);
    setDelay(amountInput(settings.delay, SECOND_MS));
    setLimit(amountInput(settings.dirtyLimit, MEGABYTE));
  };
  // An empty change only asks.
  useEffect(() => void tell(api.command<Settings>('writeback', {})).then(show), []);

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
    <section class="card" aria-labelledby="writeback-title">
      <h2 id="writeback-title">{words.writeback}</h2>
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
    </section>
  );
}

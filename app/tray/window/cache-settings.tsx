/** How large the cache may be, and whether it looks ahead. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CacheSettings as Settings } from '../../../shared/model/cache.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { amountOf } from './network-settings.tsx';
import type { Tell } from './toast.tsx';

const MEGABYTE = 1_000_000;

interface CacheProps {
  readonly api: Api;
  readonly tell: Tell;
}

const NOTHING = { minimum: '', maximum: '', reserve: '', prefetch: true };

/** A bound that nobody has set is an empty field. */
function typedOf({ minimum, maximum, reserve, prefetch, isBounded }: Settings): typeof NOTHING {
  return {
    minimum: amountInput(minimum, MEGABYTE),
    maximum: amountInput(isBounded ? maximum : null, MEGABYTE),
    reserve: amountInput(reserve, MEGABYTE),
    prefetch,
  };
}

export function CacheSettings({ api, tell }: CacheProps): JSX.Element {
  const words = TEXT.settings;
  const [typed, setTyped] = useState(NOTHING);
  /** As the daemon has it: what is not changed is not said, so that nobody sets a bound by chance. */
  const [shown, setShown] = useState(NOTHING);
  const show = (settings: Settings | undefined): void => {
    if (settings === undefined) return;
    const now = typedOf(settings);
    setShown(now);
    setTyped(now);
  };
  // An empty change only asks.
  useEffect(() => void tell(api.command<Settings>('cache-settings', {})).then(show), []);

  const save = (event: Event): void => {
    event.preventDefault();
    const call = async (): Promise<Settings> => {
      const change: Record<string, number | null> = {};
      for (const { id, label } of fields) {
        if (typed[id] !== shown[id]) change[id] = amountOf(label, typed[id], MEGABYTE);
      }
      const { prefetch } = typed;
      return api.command<Settings>('cache-settings', { ...change, prefetch });
    };
    void tell(call(), () => words.saved).then(show);
  };
  const fields = [
    { id: 'minimum', label: words.minimum, hint: words.noLimit },
    { id: 'maximum', label: words.maximum, hint: words.unbounded },
    { id: 'reserve', label: words.reserve, hint: words.byDisk },
  ] as const;

  return (
    <section class="card" aria-labelledby="cache-settings-title">
      <h2 id="cache-settings-title">{words.cache}</h2>
      <p class="quiet">{words.cacheIntro}</p>
      <form onSubmit={save}>
        <div class="fields">
          {fields.map(({ id, label, hint }) => (
            <Field
              key={id}
              {...{ id: `cache-${id}`, label, hint, isNumber: true }}
              value={typed[id]}
              onValue={(value) => setTyped({ ...typed, [id]: value })}
            />
          ))}
        </div>
        <label class="choice">
          <input
            type="checkbox"
            checked={typed.prefetch}
            onChange={(event) => setTyped({ ...typed, prefetch: event.currentTarget.checked })}
          />{' '}
          {words.prefetch}
        </label>
        <div class="acts">
          <button type="submit">{words.save}</button>
        </div>
      </form>
    </section>
  );
}

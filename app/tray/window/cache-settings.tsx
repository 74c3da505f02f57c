/** How large the cache may be, and whether it looks ahead. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CacheSettings as Settings } from '../../../shared/model/cache.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { amountOf } from './network-settings.tsx';
import type { Tell } from './toast.tsx';
import { useTold } from './use-told.ts';

const MEGABYTE = 1_000_000;

interface CacheProps {
  readonly api: Api;
  readonly tell: Tell;
}

/** What the form has in it, as it was typed. */
interface Typed {
  readonly minimum: string;
  readonly maximum: string;
  readonly reserve: string;
  readonly prefetch: boolean;
}

/** A bound that nobody has set is an empty field. */
function typedOf({ minimum, maximum, reserve, prefetch, isBounded }: Settings): Typed {
  return {
    minimum: amountInput(minimum, MEGABYTE),
    maximum: amountInput(isBounded ? maximum : null, MEGABYTE),
    reserve: amountInput(reserve, MEGABYTE),
    prefetch,
  };
}

/** Shows the settings of the cache in a form, as soon as the daemon has told them. */
export function CacheSettings({ api, tell }: CacheProps): JSX.Element {
  const words = TEXT.settings;
  // An empty change only asks.
  const { told, show } = useTold(tell, () => api.command<Settings>('cache-settings', {}));
  return (
    <section class="card" aria-labelledby="cache-settings-title">
      <h2 id="cache-settings-title">{words.cache}</h2>
      <p class="quiet">{words.cacheIntro}</p>
      {told !== null && <CacheForm {...{ api, tell, settings: told, onSaved: show }} />}
    </section>
  );
}

interface FormProps extends CacheProps {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function CacheForm({ api, tell, settings, onSaved }: FormProps): JSX.Element {
  const words = TEXT.settings;
  const [typed, setTyped] = useState(() => typedOf(settings));
  const save = (event: Event): void => {
    event.preventDefault();
    const call = async (): Promise<Settings> => {
      // What is not changed is not said, so that nobody sets a bound by chance.
      const shown = typedOf(settings);
      const change: Record<string, number | null> = {};
      for (const { id, label } of fields) {
        if (typed[id] !== shown[id]) change[id] = amountOf(label, typed[id], MEGABYTE);
      }
      const { prefetch } = typed;
      return api.command<Settings>('cache-settings', { ...change, prefetch });
    };
    void tell(call(), () => words.saved).then((now) => {
      if (now === undefined) return;
      onSaved(now);
      setTyped(typedOf(now));
    });
  };
  const fields = [
    { id: 'minimum', label: words.minimum, hint: words.noLimit },
    { id: 'maximum', label: words.maximum, hint: words.unbounded },
    { id: 'reserve', label: words.reserve, hint: words.byDisk },
  ] as const;

  return (
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
  );
}

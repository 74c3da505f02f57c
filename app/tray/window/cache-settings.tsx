/** How large the cache may be, and whether it looks ahead. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CacheSettings as Settings } from '../../../shared/model/cache.ts';
import { amountInput } from '../view/amount-input.ts';
import { CallError, type Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { amountOf } from './network-settings.tsx';
import type { Tell } from './toast.tsx';

const MEGABYTE = 1_000_000;

interface CacheProps {
  readonly api: Api;
  readonly tell: Tell;
}

export function CacheSettings({ api, tell }: CacheProps): JSX.Element {
  const words = TEXT.settings;
  const [typed, setTyped] = useState({ minimum: '', maximum: '', reserve: '', prefetch: true });
  const show = (settings: Settings | undefined): void => {
    if (settings === undefined) return;
    setTyped({
      minimum: amountInput(settings.minimum, MEGABYTE),
      maximum: amountInput(settings.maximum, MEGABYTE),
      reserve: amountInput(settings.reserve, MEGABYTE),
      prefetch: settings.prefetch,
    });
  };
  // An empty change only asks.
  useEffect(() => void tell(api.command<Settings>('cache-settings', {})).then(show), []);

  const save = (event: Event): void => {
    event.preventDefault();
    const call = async (): Promise<Settings> => {
      const change = {
        minimum: given(words.minimum, typed.minimum),
        maximum: given(words.maximum, typed.maximum),
        reserve: amountOf(words.reserve, typed.reserve, MEGABYTE),
        prefetch: typed.prefetch,
      };
      return api.command<Settings>('cache-settings', change);
    };
    void tell(call(), () => words.saved).then(show);
  };
  const fields = [
    { id: 'minimum', label: words.minimum, hint: '' },
    { id: 'maximum', label: words.maximum, hint: '' },
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

/** A field that must not be empty. Throws CallError. */
function given(label: string, text: string): number {
  const bytes = amountOf(label, text, MEGABYTE);
  if (bytes !== null) return bytes;
  const message = TEXT.settings.wrongNumber(label);
  throw new CallError({ code: 'usage', message, remedy: '' });
}

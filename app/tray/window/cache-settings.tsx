/** How large the cache may be, and whether it looks ahead. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SETTING_FIELDS } from '../../../shared/control/setting-fields.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import type { CacheSettings as Settings } from '../../../shared/model/cache.ts';
import { amountInput, readAmount } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { DraftForm } from './draft-form.tsx';
import { Amount, amountOf, Switch } from './field.tsx';
import type { Tell } from './toast.tsx';
import { differs, useDraftPart, type Draft } from './use-draft.ts';
import { useTold } from './use-told.ts';

const FIELDS = {
  minimum: SETTING_FIELDS['cache.minimum'],
  maximum: SETTING_FIELDS['cache.maximum'],
  reserve: SETTING_FIELDS['cache.reserve'],
} as const;
const NAMES = ['minimum', 'maximum', 'reserve'] as const;

interface CacheProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly draft: Draft;
  readonly status: StatusSnapshot;
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
    minimum: amountInput(minimum, FIELDS.minimum),
    maximum: amountInput(isBounded ? maximum : null, FIELDS.maximum),
    reserve: amountInput(reserve, FIELDS.reserve),
    prefetch,
  };
}

/** Shows the settings of the cache in a form, as soon as the daemon has told them. */
export function CacheSettings({ api, tell, draft, status }: CacheProps): JSX.Element {
  const words = TEXT.settings;
  // An empty change only asks.
  const { told, show } = useTold(tell, () => api.command<Settings>('cache-settings', {}));
  return (
    <section class="card" aria-labelledby="cache-settings-title">
      <h2 id="cache-settings-title">{words.space}</h2>
      <p class="quiet">{words.cacheIntro}</p>
      {told !== null && (
        <CacheForm {...{ api, tell, draft, status, settings: told, onSaved: show }} />
      )}
    </section>
  );
}

interface FormProps extends CacheProps {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function CacheForm({ api, draft, status, settings, onSaved }: FormProps): JSX.Element {
  const [typed, setTyped] = useState(() => typedOf(settings));
  const shown = typedOf(settings);
  const save = async (): Promise<void> => {
    // What is not changed is not said, so that nobody sets a bound by chance.
    const change: Record<string, number | null> = {};
    for (const name of NAMES) {
      if (typed[name] !== shown[name]) change[name] = amountOf(FIELDS[name], typed[name]);
    }
    const { prefetch } = typed;
    const now = await api.command<Settings>('cache-settings', { ...change, prefetch });
    onSaved(now);
    setTyped(typedOf(now));
  };
  useDraftPart(draft, 'cache', differs(typed, shown), save);
  return (
    <DraftForm draft={draft}>
      <div class="fields">
        {NAMES.map((name) => (
          <Amount
            key={name}
            {...{ id: `cache-${name}`, field: FIELDS[name], value: typed[name] }}
            onValue={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <Leaves {...{ status }} typed={typed.maximum} isNew={typed.maximum !== shown.maximum} />
      <Switch
        {...{ field: SETTING_FIELDS.prefetch, isOn: typed.prefetch }}
        onSwitch={(prefetch) => setTyped({ ...typed, prefetch })}
      />
    </DraftForm>
  );
}

interface LeavesProps {
  readonly status: StatusSnapshot;
  readonly typed: string;
  readonly isNew: boolean;
}

/** What a new bound would take out of the folder, before anybody saves it. */
function Leaves({ status, typed, isNew }: LeavesProps): JSX.Element | null {
  const bytes = status.cache.folder?.here.bytes ?? status.cache.bytes;
  const read = readAmount(typed, FIELDS.maximum);
  if (!isNew || !read.ok || read.value === null || read.value >= bytes) return null;
  return (
    <p class="warning" role="alert">
      {TEXT.settings.leaves(sizeText(bytes - read.value), sizeText(bytes))}
    </p>
  );
}

/** How fast contents may be sent and received. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SETTING_FIELDS } from '../../../shared/control/setting-fields.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { TransferLimits } from '../../../shared/model/transfer-limits.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { DraftForm } from './draft-form.tsx';
import { Amount, amountOf } from './field.tsx';
import type { Tell } from './toast.tsx';
import { differs, useDraftPart, type Draft } from './use-draft.ts';
import { useTold } from './use-told.ts';

const FIELDS = {
  upload: SETTING_FIELDS['limit.upload'],
  download: SETTING_FIELDS['limit.download'],
} as const;
const NAMES = ['upload', 'download'] as const;

interface LimitProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly draft: Draft;
  readonly status: StatusSnapshot;
}

/** What the form has in it, as it was typed. */
type Typed = Readonly<Record<(typeof NAMES)[number], string>>;

const typedOf = ({ upload, download }: TransferLimits): Typed => ({
  upload: amountInput(upload, FIELDS.upload),
  download: amountInput(download, FIELDS.download),
});

/** Shows the limits in a form, as soon as the daemon has told them. */
export function LimitSettings({ api, tell, draft, status }: LimitProps): JSX.Element {
  // An empty change only asks.
  const { told, show } = useTold(tell, () => api.command<TransferLimits>('limits', {}));
  return (
    <section class="card" aria-labelledby="limits-title">
      <h2 id="limits-title">{TEXT.settings.speed}</h2>
      <p class="quiet">{TEXT.settings.speedIntro}</p>
      {told !== null && <LimitForm {...{ api, draft, limits: told, onSaved: show }} />}
      {isIgnored(status) && (
        <p class="warning" role="alert">
          {TEXT.settings.limitIgnored}
        </p>
      )}
    </section>
  );
}

/** The server does not pace what it sends. */
function isIgnored({ limits }: StatusSnapshot): boolean {
  if (limits === undefined || limits.download === null) return false;
  return limits.server === 'too-old' || limits.server === 'refused';
}

interface FormProps extends Omit<LimitProps, 'tell' | 'status'> {
  readonly limits: TransferLimits;
  readonly onSaved: (limits: TransferLimits) => void;
}

function LimitForm({ api, draft, limits, onSaved }: FormProps): JSX.Element {
  const shown = typedOf(limits);
  const [typed, setTyped] = useState(shown);
  const save = async (): Promise<void> => {
    const change: Record<string, number | null> = {};
    for (const name of NAMES) {
      if (typed[name] !== shown[name]) change[name] = amountOf(FIELDS[name], typed[name]);
    }
    const now = await api.command<TransferLimits>('limits', change);
    onSaved(now);
    setTyped(typedOf(now));
  };
  useDraftPart(draft, 'limits', differs(typed, shown), save);
  return (
    <DraftForm draft={draft}>
      <div class="fields">
        {NAMES.map((name) => (
          <Amount
            key={name}
            {...{ id: `limit-${name}`, field: FIELDS[name], value: typed[name] }}
            onValue={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
    </DraftForm>
  );
}

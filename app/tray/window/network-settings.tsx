/** The rules of networks: a form for each that is known, and one for all metered ones. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { NetworkList, NetworkRow } from '../../../shared/control/network.ts';
import { NETWORK_FIELDS } from '../../../shared/control/setting-fields.ts';
import {
  METERED_BUDGET,
  METERED_RULE,
  METERED_TRICKLE,
  NO_RULE,
} from '../../../shared/model/network.ts';
import { amountInput } from '../view/amount-input.ts';
import type { Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from '../view/text.ts';
import { DraftForm } from './draft-form.tsx';
import { Amount, amountOf, Switch } from './field.tsx';
import { nothingToSay, type Tell } from './toast.tsx';
import { differs, useDraftPart, type Draft } from './use-draft.ts';

const { metered: METERED, budget: BUDGET, trickle: TRICKLE, pause: PAUSE } = NETWORK_FIELDS;

/** What an empty field means in the rule for all metered networks. */
const inForce = (value: number, { per }: { readonly per: number }): string =>
  `${value / per} (default)`;

interface NetworksProps {
  readonly api: Api;
  /** The one that is used now. */
  readonly network: string | null;
  readonly tell: Tell;
  readonly draft: Draft;
}

/**
 * Shows a form for the rules of each known network, and asks again when the machine changes
 * networks.
 */
export function NetworkSettings({ api, network, tell, draft }: NetworksProps): JSX.Element {
  const [list, setList] = useState<readonly NetworkRow[] | null>(null);
  const look = async (): Promise<void> => {
    const told = await tell(api.command<NetworkList>('networks'), nothingToSay);
    if (told !== undefined) setList(withMetered(told.networks));
  };
  useEffect(() => void look(), [network]);
  return (
    <section class="card" aria-labelledby="networks-title">
      <h2 id="networks-title">{TEXT.settings.network}</h2>
      <p class="quiet">{TEXT.settings.networkIntro}</p>
      {list !== null && list.length === 0 && <p>{TEXT.settings.noNetworks}</p>}
      {(list ?? []).map((row, index) => (
        <NetworkForm
          key={row.network}
          id={`network-${index}`}
          row={row}
          api={api}
          tell={tell}
          draft={draft}
          onDone={() => void look()}
        />
      ))}
    </section>
  );
}

/** The rule for all metered networks is there to be made, too. */
function withMetered(rows: readonly NetworkRow[]): NetworkRow[] {
  if (rows.some((row) => row.network === METERED_RULE)) return [...rows];
  return [...rows, { network: METERED_RULE, rule: null, used: 0, current: false }];
}

interface FormProps {
  readonly id: string;
  readonly row: NetworkRow;
  readonly api: Api;
  readonly tell: Tell;
  readonly draft: Draft;
  readonly onDone: () => void;
}

/** What the form has in it, as it was typed. */
interface Typed {
  readonly metered: string;
  readonly budget: string;
  readonly trickle: string;
  readonly pause: boolean;
}

function NetworkForm({ id, row, api, tell, draft, onDone }: FormProps): JSX.Element {
  const words = TEXT.settings;
  const { network } = row;
  const [typed, setTyped] = useState<Typed>(() => typedOf(row));
  const isAllMetered = network === METERED_RULE;

  const save = async (): Promise<void> => {
    await api.command('network-rule', { network, rule: ruleOf(typed, isAllMetered) });
    onDone();
  };
  useDraftPart(draft, `network ${network}`, differs(typed, typedOf(row)), save);
  const forget = (): void => {
    const call = api.command('network-rule', { network, rule: null });
    void tell(call, () => words.saved).then((done) => {
      if (done !== undefined) setTyped(typedOf({ ...row, rule: null }));
      onDone();
    });
  };

  return (
    <DraftForm class="network" draft={draft} labelledBy={`${id}-name`}>
      <h3 id={`${id}-name`}>
        {isAllMetered ? words.allMetered : lineText(network)}{' '}
        {row.current && <span class="badge">{words.current}</span>}
      </h3>
      {!isAllMetered && (
        <p class="quiet">
          {words.usedToday}: {sizeText(row.used)}
        </p>
      )}
      <NetworkFields {...{ id, typed, setTyped, isAllMetered }} />
      {row.rule !== null && (
        <div class="acts">
          <button type="button" onClick={forget}>
            {words.forget}
          </button>
        </div>
      )}
    </DraftForm>
  );
}

interface FieldsProps {
  readonly id: string;
  readonly typed: Typed;
  readonly setTyped: (typed: Typed) => void;
  readonly isAllMetered: boolean;
}

function NetworkFields({ id, typed, setTyped, isAllMetered }: FieldsProps): JSX.Element {
  const change = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  const empty = (value: number, field: { readonly per: number }): string | undefined =>
    isAllMetered ? inForce(value, field) : undefined;
  return (
    <>
      <div class="fields">
        {!isAllMetered && (
          <div class="field">
            <label for={`${id}-metered`}>{METERED.label}</label>
            <select
              id={`${id}-metered`}
              value={typed.metered}
              onChange={(event) => change({ metered: event.currentTarget.value })}
            >
              {Object.entries(METERED.words).map(([word, means]) => (
                <option key={word} value={word}>
                  {means}
                </option>
              ))}
            </select>
          </div>
        )}
        <Amount
          {...{ id: `${id}-budget`, field: BUDGET, empty: empty(METERED_BUDGET, BUDGET) }}
          value={typed.budget}
          onValue={(budget) => change({ budget })}
        />
        <Amount
          {...{ id: `${id}-trickle`, field: TRICKLE, empty: empty(METERED_TRICKLE, TRICKLE) }}
          value={typed.trickle}
          onValue={(trickle) => change({ trickle })}
        />
      </div>
      <Switch {...{ field: PAUSE, isOn: typed.pause }} onSwitch={(pause) => change({ pause })} />
    </>
  );
}

function typedOf({ rule }: NetworkRow): Typed {
  const { metered, budget, trickle, pause } = rule ?? NO_RULE;
  const amounts = {
    budget: amountInput(budget, BUDGET),
    trickle: amountInput(trickle, TRICKLE),
  };
  return { metered, ...amounts, pause };
}

/** The rule of a form. The one for all metered networks has no field `metered`. */
function ruleOf({ metered, budget, trickle, pause }: Typed, isAllMetered: boolean): object {
  return {
    ...(isAllMetered ? {} : { metered }),
    budget: amountOf(BUDGET, budget),
    trickle: amountOf(TRICKLE, trickle),
    pause,
  };
}

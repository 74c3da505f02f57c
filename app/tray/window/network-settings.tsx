/** The rules of networks: a form for each that is known, and one for all metered ones. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { NetworkList, NetworkRow } from '../../../shared/control/network.ts';
import { METERED_RULE, METERED_RULES, NO_RULE } from '../../../shared/model/network.ts';
import { amountInput, readAmount } from '../view/amount-input.ts';
import { CallError, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { nothingToSay, type Tell } from './toast.tsx';

const MEGABYTE = 1_000_000;
const KILOBYTE = 1000;
const METERED_WORDS = {
  auto: TEXT.settings.meteredAuto,
  yes: TEXT.settings.meteredYes,
  no: TEXT.settings.meteredNo,
} as const;

interface NetworksProps {
  readonly api: Api;
  /** The one that is used now. */
  readonly network: string | null;
  readonly tell: Tell;
}

/**
 * Shows a form for the rules of each known network, and asks again when the machine changes
 * networks.
 */
export function NetworkSettings({ api, network, tell }: NetworksProps): JSX.Element {
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
  readonly onDone: () => void;
}

/** What the form has in it, as it was typed. */
interface Typed {
  readonly metered: string;
  readonly budget: string;
  readonly trickle: string;
  readonly pause: boolean;
}

function NetworkForm({ id, row, api, tell, onDone }: FormProps): JSX.Element {
  const words = TEXT.settings;
  const { network } = row;
  const [typed, setTyped] = useState<Typed>(() => typedOf(row));
  const isAllMetered = network === METERED_RULE;

  const save = (event: Event): void => {
    event.preventDefault();
    const call = async (): Promise<unknown> =>
      api.command('network-rule', { network, rule: ruleOf(typed, isAllMetered) });
    void tell(call(), () => words.saved).then(onDone);
  };
  const forget = (): void => {
    const call = api.command('network-rule', { network, rule: null });
    void tell(call, () => words.saved).then((done) => {
      if (done !== undefined) setTyped(typedOf({ ...row, rule: null }));
      onDone();
    });
  };

  return (
    <form class="network" onSubmit={save} aria-labelledby={`${id}-name`}>
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
      <div class="acts">
        <button type="submit">{words.save}</button>
        {row.rule !== null && (
          <button type="button" onClick={forget}>
            {words.forget}
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly id: string;
  readonly typed: Typed;
  readonly setTyped: (typed: Typed) => void;
  readonly isAllMetered: boolean;
}

function NetworkFields({ id, typed, setTyped, isAllMetered }: FieldsProps): JSX.Element {
  const words = TEXT.settings;
  const change = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  return (
    <>
      <div class="fields">
        {!isAllMetered && (
          <div class="field">
            <label for={`${id}-metered`}>{words.metered}</label>
            <select
              id={`${id}-metered`}
              value={typed.metered}
              onChange={(event) => change({ metered: event.currentTarget.value })}
            >
              {METERED_RULES.map((value) => (
                <option key={value} value={value}>
                  {METERED_WORDS[value]}
                </option>
              ))}
            </select>
          </div>
        )}
        <Field
          {...{ id: `${id}-budget`, label: words.budget, hint: words.noLimit, isNumber: true }}
          value={typed.budget}
          onValue={(budget) => change({ budget })}
        />
        <Field
          {...{ id: `${id}-trickle`, label: words.trickle, hint: words.noLimit, isNumber: true }}
          value={typed.trickle}
          onValue={(trickle) => change({ trickle })}
        />
      </div>
      <label class="choice">
        <input
          type="checkbox"
          checked={typed.pause}
          onChange={(event) => change({ pause: event.currentTarget.checked })}
        />{' '}
        {words.wait}
      </label>
    </>
  );
}

function typedOf({ rule }: NetworkRow): Typed {
  const { metered, budget, trickle, pause } = rule ?? NO_RULE;
  const amounts = {
    budget: amountInput(budget, MEGABYTE),
    trickle: amountInput(trickle, KILOBYTE),
  };
  return { metered, ...amounts, pause };
}

/** Whether a network is metered is said of each by itself. */
function ruleOf({ metered, budget, trickle, pause }: Typed, isAllMetered: boolean): object {
  const words = TEXT.settings;
  return {
    ...(isAllMetered ? {} : { metered }),
    budget: amountOf(words.budget, budget, MEGABYTE),
    trickle: amountOf(words.trickle, trickle, KILOBYTE),
    pause,
  };
}

/** Throws CallError where it is no number. */
export function amountOf(label: string, text: string, unit: number): number | null {
  const read = readAmount(text, unit);
  if (read.ok) return read.value;
  const message = TEXT.settings.wrongNumber(label);
  throw new CallError({ code: 'usage', message, remedy: '' });
}

/** The fields of a form, each with its label: a text, a number in its unit, one word of several, on or off. */
import type { JSX } from 'preact';
import type {
  AmountField,
  ChoiceField,
  SwitchField,
} from '../../../shared/control/setting-fields.ts';
import { amountLabel, readAmount, wrongAmount } from '../view/amount-input.ts';
import { CallError } from '../view/api.ts';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onValue: (value: string) => void;
  readonly isNumber?: boolean;
  /** The id of what is said of it. */
  readonly describedBy?: string;
}

/**
 * Shows a text field with its label. `isNumber` asks for a keyboard with digits and checks nothing.
 */
export function Field(props: FieldProps): JSX.Element {
  const { id, label, value, hint, onValue, isNumber, describedBy } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={describedBy}
        type="text"
        autocomplete="off"
        spellcheck={false}
        inputMode={isNumber === true ? 'decimal' : 'text'}
        value={value}
        placeholder={hint}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}

interface AmountProps {
  readonly id: string;
  readonly field: AmountField;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What an empty field means here; left out: as the field says. */
  readonly empty?: string | undefined;
}

/** Shows a field for a number of a setting, with its unit. */
export function Amount({ id, field, value, onValue, empty }: AmountProps): JSX.Element {
  const hint = empty ?? field.empty;
  return <Field {...{ id, label: amountLabel(field), hint, isNumber: true, value, onValue }} />;
}

/** The number that was typed, as the daemon counts it; null: the field is empty. Throws CallError if it is none, or out of its bounds. */
export function amountOf(field: AmountField, text: string): number | null {
  const read = readAmount(text, field);
  if (read.ok) return read.value;
  throw new CallError({ code: 'usage', message: wrongAmount(field), remedy: '' });
}

interface ChoiceProps<W extends string> {
  readonly name: string;
  readonly field: ChoiceField<W>;
  /** null: not known yet. */
  readonly chosen: W | null;
  readonly onChoose: (word: W) => void;
}

/** Shows the words of a setting, one of which is chosen. */
export function Choice<W extends string>(props: ChoiceProps<W>): JSX.Element {
  const { name, field, chosen, onChoose } = props;
  const words = Object.keys(field.words) as W[];
  return (
    <fieldset class="choices">
      <legend>{field.label}</legend>
      {words.map((word) => (
        <label class="choice" key={word}>
          <input
            type="radio"
            name={name}
            value={word}
            checked={chosen === word}
            onChange={() => onChoose(word)}
          />{' '}
          {field.words[word]}
        </label>
      ))}
    </fieldset>
  );
}

interface SwitchProps {
  readonly field: SwitchField;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

/** Shows a setting that is on or off. */
export function Switch({ field, isOn, onSwitch }: SwitchProps): JSX.Element {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onSwitch(event.currentTarget.checked)}
      />{' '}
      {field.label}
    </label>
  );
}

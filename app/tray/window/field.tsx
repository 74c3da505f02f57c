/** A field with its label, for a number or a text. */
import type { JSX } from 'preact';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onValue: (value: string) => void;
  readonly isNumber?: boolean;
}

/**
 * Shows a text field with its label. `isNumber` asks for a keyboard with digits and checks nothing.
 */
export function Field({ id, label, value, hint, onValue, isNumber }: FieldProps): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
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

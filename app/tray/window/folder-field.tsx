/** A field for the place of a folder; where the program itself shows the page, a person may choose one. */
import type { JSX } from 'preact';
import { resultOf, type ProgramTransport } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import type { Tell } from './toast.tsx';

interface FolderFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly program: ProgramTransport | null;
  readonly tell: Tell;
}

/**
 * Shows a field for a path, with a button for the system's folder dialog where there is one.
 * `program` null: the page is in a browser, which has none.
 */
export function FolderField({ program, tell, ...field }: FolderFieldProps): JSX.Element {
  if (program === null) return <Field {...field} hint="" />;
  const choose = async (): Promise<void> => {
    const chosen = await tell(resultOf<string | null>(program.chooseFolder()));
    if (chosen !== undefined && chosen !== null) field.onValue(chosen);
  };
  return (
    <div class="field-row">
      <Field {...field} hint="" />
      <button type="button" onClick={() => void choose()}>
        {TEXT.actions.chooseFolder}
      </button>
    </div>
  );
}

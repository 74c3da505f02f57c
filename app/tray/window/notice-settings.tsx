/** Of what the desktop is told, each kind by itself. Nothing in a browser: that shows no notices. */
import type { JSX } from 'preact';
import { NOTICE_KINDS, withNotices, type Appearance } from '../view/appearance.ts';
import { TEXT } from '../view/text.ts';

interface Props {
  readonly chosen: Appearance;
  readonly onChoose: (next: Appearance) => void;
}

/** Shows a switch for each kind of notices. */
export function NoticeSettings({ chosen, onChoose }: Props): JSX.Element {
  const words = TEXT.settings;
  return (
    <fieldset class="choices">
      <legend>{words.notices}</legend>
      {NOTICE_KINDS.map((kind) => (
        <label class="choice" key={kind}>
          <input
            type="checkbox"
            data-notices={kind}
            checked={!chosen.silent.includes(kind)}
            onChange={(event) => onChoose(withNotices(chosen, kind, event.currentTarget.checked))}
          />{' '}
          {words.noticesOf(kind)}
        </label>
      ))}
    </fieldset>
  );
}

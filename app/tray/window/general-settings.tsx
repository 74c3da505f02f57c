/** What holds of the program itself, at once: whether it starts by itself, how it looks, and of what it tells the desktop. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { resultOf } from '../view/api.ts';
import { DEFAULT_APPEARANCE, ICON_STYLES, THEMES, type Appearance } from '../view/appearance.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { NoticeSettings } from './notice-settings.tsx';
import type { PaneProps } from './pane-props.ts';
import { nothingToSay } from './toast.tsx';
import { keepAppearance, readAppearance } from './use-appearance.ts';

/** Shows the switches; in a browser without those of the program. */
export function GeneralSettings({ api, status, tell }: PaneProps): JSX.Element {
  const words = TEXT.settings;
  const [look, setLook] = useState<Appearance>(DEFAULT_APPEARANCE);
  useEffect(() => void readAppearance(api).then(setLook, () => undefined), []);
  const choose = (next: Appearance): void => {
    setLook(next);
    void tell(keepAppearance(api, next), nothingToSay);
  };
  return (
    <section class="card" aria-labelledby="general-title">
      <h2 id="general-title">{words.general}</h2>
      <Autostart {...{ api, tell }} />
      <div class="fields">
        <Choose
          {...{ id: 'theme', label: words.theme, values: THEMES, value: look.theme }}
          word={words.themeWord}
          onChoose={(theme) => choose({ ...look, theme })}
        />
        {api.carrier.program !== null && (
          <Choose
            {...{ id: 'icon-style', label: words.icon, values: ICON_STYLES, value: look.icon }}
            word={words.iconWord}
            onChoose={(icon) => choose({ ...look, icon })}
          />
        )}
      </div>
      {api.carrier.program === null ? (
        <p class="quiet">{words.noticesInTray}</p>
      ) : (
        <NoticeSettings chosen={look} onChoose={choose} />
      )}
      <p class="quiet">{words.about(status.version, lineText(status.device.name))}</p>
    </section>
  );
}

interface ChooseProps<W extends string> {
  readonly id: string;
  readonly label: string;
  readonly values: readonly W[];
  readonly value: W;
  readonly word: (value: W) => string;
  readonly onChoose: (value: W) => void;
}

function Choose<W extends string>(props: ChooseProps<W>): JSX.Element {
  const { id, label, values, value, word, onChoose } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value as W)}>
        {values.map((each) => (
          <option key={each} value={each}>
            {word(each)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Nothing in a browser: that starts with no session. */
export function Autostart({ api, tell }: Pick<PaneProps, 'api' | 'tell'>): JSX.Element | null {
  const { program } = api.carrier;
  const [isOn, setOn] = useState<boolean | null>(null);
  const show = (told: boolean | undefined): void => setOn(told ?? null);
  useEffect(() => {
    if (program !== null)
      void tell(resultOf<boolean>(program.autostart(null)), nothingToSay).then(show);
  }, [program]);
  if (program === null || isOn === null) return null;
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          void tell(resultOf<boolean>(program.autostart(event.currentTarget.checked))).then(show);
        }}
      />{' '}
      {TEXT.settings.autostart}
    </label>
  );
}

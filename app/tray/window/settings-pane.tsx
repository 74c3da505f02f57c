/** Settings: what may move on which network, how changes are sent, where server and folder are, and the program itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { resultOf, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { CacheSettings } from './cache-settings.tsx';
import { ConsistencySettings } from './consistency-settings.tsx';
import { NetworkSettings } from './network-settings.tsx';
import { PlaceSettings } from './place-settings.tsx';
import { nothingToSay, type Tell } from './toast.tsx';
import { WritebackSettings } from './writeback-settings.tsx';

interface PaneProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Shows all settings, a card for each kind, and the version of the program. */
export function SettingsPane({ api, status, tell }: PaneProps): JSX.Element {
  const { version, device } = status;
  return (
    <>
      <h1>{TEXT.settings.title}</h1>
      <NetworkSettings api={api} network={status.network?.name ?? null} tell={tell} />
      <WritebackSettings api={api} tell={tell} />
      <CacheSettings api={api} tell={tell} />
      <ConsistencySettings api={api} tell={tell} />
      <PlaceSettings api={api} status={status} tell={tell} />
      <section class="card" aria-labelledby="app-title">
        <h2 id="app-title">{TEXT.settings.app}</h2>
        <Autostart api={api} tell={tell} />
        <p>{TEXT.settings.about(version, lineText(device.name))}</p>
      </section>
    </>
  );
}

/** Nothing in a browser: that starts with no session. */
function Autostart({ api, tell }: Pick<PaneProps, 'api' | 'tell'>): JSX.Element | null {
  const { program } = api.carrier;
  const [isOn, setOn] = useState<boolean | null>(null);
  useEffect(() => {
    if (program !== null)
      void tell(resultOf<boolean>(program.autostart(null)), nothingToSay).then(show);
  }, [program]);
  const show = (told: boolean | undefined): void => setOn(told ?? null);
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

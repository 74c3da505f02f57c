/** Settings: first what people look for, last what few need. One button saves what was changed. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TEXT } from '../view/text.ts';
import { CacheCard } from './cache-card.tsx';
import { CacheSettings } from './cache-settings.tsx';
import { ConsistencySettings } from './consistency-settings.tsx';
import { DevicesCard } from './devices-card.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { GroupsCard } from './groups-card.tsx';
import { LeftOutCard } from './left-out-card.tsx';
import { LimitSettings } from './limit-settings.tsx';
import { NetworkSettings } from './network-settings.tsx';
import type { PaneProps } from './pane-props.ts';
import { PlaceSettings } from './place-settings.tsx';
import { SharingCard } from './sharing-card.tsx';
import { useDraft } from './use-draft.ts';
import { WritebackSettings } from './writeback-settings.tsx';

/** Shows all settings, a card for each kind. */
export function SettingsPane({ api, status, tell }: PaneProps): JSX.Element {
  const draft = useDraft(tell);
  /** Grows when changes are thrown away: all of it is asked for anew. */
  const [discarded, setDiscarded] = useState(0);
  /** Grows with each act in a list. */
  const [edition, setEdition] = useState(0);
  const [isAdvanced, setAdvanced] = useState(false);
  const volume = status.volumes[0]?.name ?? '';
  const done = (): void => setEdition((n) => n + 1);
  const network = status.network?.name ?? null;
  const parts = { api, tell, draft };
  return (
    <div class="settings" key={discarded}>
      <h1 class="hidden-text">{TEXT.settings.title}</h1>
      <GeneralSettings {...{ api, status, tell }} />
      <PlaceSettings {...{ api, status, tell }} />
      <DevicesCard {...{ api, status, tell }} />
      <LimitSettings {...parts} status={status} />
      <NetworkSettings {...parts} network={network} />
      <CacheSettings {...parts} status={status} />
      <button
        type="button"
        class="fold"
        data-act="advanced"
        aria-expanded={isAdvanced}
        onClick={() => setAdvanced(!isAdvanced)}
      >
        {TEXT.settings.advanced} <span class="quiet">{TEXT.settings.advancedFor}</span>
      </button>
      {isAdvanced && (
        <>
          <WritebackSettings {...parts} />
          <ConsistencySettings {...parts} />
          <CacheCard {...{ api, status, tell, edition }} onDone={done} />
          <GroupsCard {...{ api, tell, volume, edition }} onDone={done} />
          <SharingCard {...{ api, tell, edition }} onDone={done} />
          {status.frontEnd === 'folder' && <LeftOutCard />}
        </>
      )}
      {draft.isOpen && (
        <div class="save-bar" role="region" aria-label={TEXT.settings.unsaved}>
          <span>{TEXT.settings.unsaved}</span>
          <button type="button" onClick={() => setDiscarded(discarded + 1)}>
            {TEXT.settings.discard}
          </button>
          <button type="button" class="strong" onClick={() => draft.save()}>
            {TEXT.settings.save}
          </button>
        </div>
      )}
    </div>
  );
}

/** The files that moved last: a click opens one; what else can be done is in its menu. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { VersionsReport } from '../../../shared/control/history.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import { recentKey, recentRows, type RecentRow, type Senders } from '../view/recent-view.ts';
import { TEXT } from '../view/text.ts';
import { copyText, openPlace } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { PopupMenu, type MenuEntry } from './popup-menu.tsx';
import { Glyph, KindSign } from './sign.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

/** Shows the list; or, where nothing has moved, what it will show. */
export function RecentCard(props: PaneProps & { readonly senders: Senders }): JSX.Element {
  const { api, status, tell, senders } = props;
  const [shown, setShown] = useState<RecentRow | null>(null);
  const rows = recentRows(status, senders, Date.now());
  return (
    <section class="card" aria-labelledby="recent-title" data-card="recent">
      <h2 id="recent-title">{TEXT.home.recent}</h2>
      {rows.length === 0 && <p class="quiet empty">{TEXT.home.noRecent}</p>}
      <ul class="rows">
        {rows.map((row) => (
          <Recent key={row.key} {...{ api, status, tell, row }} onVersions={() => setShown(row)} />
        ))}
      </ul>
      {shown !== null && (
        <VersionsDialog
          {...{ api, tell, volume: shown.volume, path: shown.path.split('/') }}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}

interface RecentProps extends PaneProps {
  readonly row: RecentRow;
  readonly onVersions: () => void;
}

function Recent({ api, status, tell, row, onVersions }: RecentProps): JSX.Element {
  const { name, folder, icon, what, path } = row;
  const words = TEXT.files;
  const place = status.folder;
  const entries: MenuEntry[] = [
    ...(place === null
      ? []
      : [
          { label: words.open, run: () => openPlace(api, tell, path) },
          { label: words.show, run: () => openPlace(api, tell, path, true) },
          { label: TEXT.home.copyPath, run: () => copyText(tell, `${place}/${path}`) },
        ]),
    { label: words.versions, run: onVersions },
  ];
  return (
    <li class="line">
      <KindSign kind={icon} />
      <span class="line-words">
        <button
          type="button"
          class="name"
          title={folder === '' ? name : `${folder}/${name}`}
          onClick={() => (place === null ? onVersions() : openPlace(api, tell, path))}
        >
          {name}
        </button>
        <span class="quiet">{what}</span>
      </span>
      <PopupMenu label={words.menu(name)} class="bare" entries={entries}>
        <Glyph of="more" />
      </PopupMenu>
    </li>
  );
}

/**
 * Which laptops the received files came from. The status does not say it: the newest version of each is asked for, once, as long as there is a
 * server to ask.
 */
export function useSenders(api: Api, { recent = [], connected }: StatusSnapshot): Senders {
  const [senders, setSenders] = useState<Senders>(new Map());
  const asked = useRef(new Set<string>());
  const keys = recent.map(recentKey).join('\n');
  useEffect(() => {
    if (!connected) return;
    for (const file of recent) {
      const key = recentKey(file);
      if (file.how === 'sent' || asked.current.has(key)) continue;
      asked.current.add(key);
      const args = { volume: file.volume, path: file.path.split('/') };
      void api.command<VersionsReport>('versions', args).then(
        ({ versions }) => {
          const who = (versions.find(({ present }) => present) ?? versions[0])?.by ?? null;
          if (who !== null) setSenders((known) => new Map(known).set(key, who));
        },
        () => asked.current.delete(key),
      );
    }
  }, [keys, connected]);
  return senders;
}

/** What the cache has by what keeps it, how large it may be, and what is always here. */
import type { JSX } from 'preact';
import type { CacheReport, CacheUse, PinnedVnode } from '../../../shared/control/cache.ts';
import { boundText, cacheOutcome, keptRows } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import type { PaneProps } from './pane-props.ts';

interface CardProps extends PaneProps {
  readonly edition: number;
  readonly onDone: () => void;
}

/**
 * Shows what the cache holds, its limit, and the pins, each of which can be taken back. It asks
 * again when `edition` changes.
 */
export function CacheCard({ api, status, tell, edition, onDone }: CardProps): JSX.Element {
  const { files, bytes } = status.cache;
  const { told } = useAsked(
    () => api.command<CacheUse>('cache-use'),
    `${files} ${bytes} ${status.queues.data.updates}`,
    edition,
  );
  const unpin = ({ volume, path }: PinnedVnode): void => {
    const names = path === null || path === '' ? [] : path.split('/');
    const call = api.command<CacheReport>('cache', { act: 'unpin', volume, path: names });
    void tell(call, (report) => cacheOutcome('unpin', [report])).then(onDone);
  };
  return (
    <section class="card" aria-labelledby="cache-title">
      <h2 id="cache-title">{TEXT.cache.title}</h2>
      {told === null ? (
        <p class="quiet">{TEXT.files.loading}</p>
      ) : (
        <>
          <p>{boundText(told)}</p>
          <KeptBar use={told} />
          <h3>{TEXT.cache.pins}</h3>
          {told.pins.total === 0 && <p class="quiet">{TEXT.cache.noPins}</p>}
          <ul class="things">
            {told.pins.first.map((pin) => (
              <Pin key={`${pin.volume}/${pin.path}`} pin={pin} onUnpin={() => unpin(pin)} />
            ))}
          </ul>
          {told.pins.total > told.pins.first.length && (
            <p class="quiet">{TEXT.cache.morePins(told.pins.total - told.pins.first.length)}</p>
          )}
        </>
      )}
    </section>
  );
}

/** The bar is drawn; the table says the same, and is its legend. */
function KeptBar({ use }: { readonly use: CacheUse }): JSX.Element {
  const rows = keptRows(use);
  return (
    <>
      <div class="kept-bar" role="img" aria-label={TEXT.cache.barLabel}>
        {rows.map(({ by, share }) => (
          <span key={by} class={`kept kept-${by}`} style={{ flexGrow: share }} />
        ))}
        <span
          class="kept kept-free"
          style={{ flexGrow: Math.max(0, 1 - rows.reduce((sum, { share }) => sum + share, 0)) }}
        />
      </div>
      <table aria-label={TEXT.cache.table}>
        <tbody>
          {rows.map(({ by, name, size, files }) => (
            <tr key={by} data-kept={by}>
              <th scope="row">
                <span class={`kept-sign kept-${by}`} aria-hidden="true" /> {name}
              </th>
              <td>{size}</td>
              <td>{files}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface PinProps {
  readonly pin: PinnedVnode;
  readonly onUnpin: () => void;
}

function Pin({ pin: { volume, path, isFolder }, onUnpin }: PinProps): JSX.Element {
  const shown = path === null ? TEXT.queue.nameless : `${lineText(path)}${isFolder ? '/' : ''}`;
  return (
    <li>
      <span class="thing">
        {shown} <span class="quiet">{lineText(volume)}</span>
      </span>
      {path !== null && (
        <button type="button" aria-label={TEXT.cache.unpin(shown)} onClick={onUnpin}>
          {TEXT.files.act('unpin')}
        </button>
      )}
    </li>
  );
}

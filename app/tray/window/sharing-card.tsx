/** The orders of people on which files and folders are shared. */
import type { JSX } from 'preact';
import type { SharingReport, SharingRow } from '../../../shared/control/sharing.ts';
import type { Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import type { Tell } from './toast.tsx';

interface CardProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly edition: number;
  readonly onDone: () => void;
}

/**
 * Shows the orders of people on sharing, each with a button that withdraws it. It asks again when `edition` changes.
 */
export function SharingCard({ api, tell, edition, onDone }: CardProps): JSX.Element {
  const words = TEXT.sharing;
  const { told } = useAsked(() => api.command<SharingReport>('sharing'), null, edition);
  const takeBack = ({ fid }: SharingRow): void => {
    const call = api.command('sharing-order', { fid, order: 'auto' });
    void tell(call, () => words.said(1)).then(onDone);
  };
  const orders = told?.orders ?? [];
  return (
    <section class="card" aria-labelledby="sharing-title">
      <h2 id="sharing-title">{words.title}</h2>
      <p class="quiet">{words.intro}</p>
      {told !== null && orders.length === 0 && <p class="quiet">{words.none}</p>}
      <ul class="things">
        {orders.map((row) => {
          const { fid, volume, path, order } = row;
          const shown = path === null ? `${fid} (${words.notSeen})` : `/${lineText(path)}`;
          return (
            <li key={fid}>
              <span class="thing">
                {shown}{' '}
                <span class="quiet">
                  {lineText(volume)}: {words.word(order)}
                </span>
              </span>
              <button
                type="button"
                aria-label={words.takeBackOf(shown)}
                onClick={() => takeBack(row)}
              >
                {words.takeBack}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

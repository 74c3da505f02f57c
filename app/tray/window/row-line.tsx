/** What is to be seen of one update or fetch. */
import type { JSX } from 'preact';
import type { Row } from '../view/queue-rows.ts';
import { TEXT } from '../view/text.ts';

/** Shows an update or a fetch in one line. */
export function RowLine({ row }: { readonly row: Row }): JSX.Element {
  const { name, folder, state, amount, share, left } = row;
  return (
    <>
      <span class="row-name" title={folder === '' ? name : `${folder}/${name}`}>
        <b>{name}</b> <span class="quiet">{folder}</span>
      </span>{' '}
      <span class="row-amount">{amount}</span>{' '}
      <span class="row-state quiet" title={state}>
        {state}
        {left !== '' && `, ${TEXT.queue.left(left)}`}
      </span>
      {share !== null && <Bar share={share} />}
    </>
  );
}

/** Shows a bar for a share between 0 and 1. */
export function Bar({ share }: { readonly share: number }): JSX.Element {
  return (
    <span class="bar" data-share={share.toFixed(3)}>
      <span class="bar-done" style={{ transform: `scaleX(${share})` }} />
    </span>
  );
}

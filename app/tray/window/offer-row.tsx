/** A folder that somebody has shared: who, what may be done in it, where it is to be, and yes or not now. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { CallError, type Api } from '../view/api.ts';
import { placeTyped, type Offer } from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { Glyph } from './sign.tsx';
import type { Tell } from './toast.tsx';

interface OfferProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly offer: Offer;
  /** The name of the volume that the folder shows. */
  readonly around: string;
  readonly onLater: () => void;
  readonly onDone: () => void;
}

/** Shows the offer; it is accepted at the place that stands in its field. */
export function OfferRow({ api, tell, offer, around, onLater, onDone }: OfferProps): JSX.Element {
  const words = TEXT.shares;
  const id = useId();
  const { volume, name, says, may } = offer;
  const [place, setPlace] = useState(name);
  const [works, setWorks] = useState(false);
  const accept = async (): Promise<void> => {
    const path = placeTyped(place);
    if (path.length === 0) {
      throw new CallError({ code: 'usage', message: words.needPlace, remedy: '' });
    }
    await api.command('accept-share', { share: volume, volume: around, path });
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (works) return;
    setWorks(true);
    const said = (): string => words.accepted(name, `/${placeTyped(place).join('/')}`);
    void tell(accept(), said).then(() => {
      setWorks(false);
      onDone();
    });
  };
  return (
    <>
      <div class="line">
        <Glyph of="people" size={22} />
        <p class="line-words">
          <b>{name}</b>{' '}
          <span>
            {says} {may}
          </span>
        </p>
      </div>
      <form class="acts offer" onSubmit={submit}>
        <Field {...{ id, label: words.place, hint: name, value: place, onValue: setPlace }} />
        <button type="submit" class="strong" disabled={works} aria-label={words.acceptOf(name)}>
          {words.accept}
        </button>
        <button type="button" aria-label={words.laterOf(name)} onClick={onLater}>
          {words.later}
        </button>
      </form>
    </>
  );
}

/** Laptops have joined: whoever reads it knows whether that was meant, and how to refuse it. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { OwnDevice } from '../../../shared/control/snapshot.ts';
import { agoText } from '../view/ago.ts';
import { timeOf } from '../view/clock.ts';
import { lineText } from '../view/format.ts';
import { joinedKey } from '../view/notices.ts';
import { TEXT } from '../view/text.ts';
import { copyText } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { Glyph } from './sign.tsx';
import type { Tell } from './toast.tsx';
import { useMeant } from './use-meant.ts';

const KEY = 'godwit-laptops-known';

/** Shows the laptops that have joined, in one card, until a person has said of each that it is theirs. */
export function JoinedCard({ status: { devices = [] }, tell }: PaneProps): JSX.Element | null {
  const [known, end] = useMeant(KEY);
  const id = useId();
  const words = TEXT.home;
  const fresh = devices.filter((each) => each.joined !== undefined && !known.has(joinedKey(each)));
  const [first, ...others] = fresh;
  if (first === undefined) return null;
  const isOne = others.length === 0;
  return (
    <section class="card needs" aria-labelledby={id} data-card="joined">
      <h2 id={id} class="line">
        <Glyph of="laptop" />{' '}
        {isOne ? words.joined(lineText(first.name)) : words.joinedSeveral(fresh.length)}
      </h2>
      {isOne ? (
        <Joined device={first} tell={tell} onEnd={() => end(joinedKey(first))} />
      ) : (
        <ul class="rows">
          {fresh.map((device) => (
            <li key={joinedKey(device)}>
              <b>{lineText(device.name)}</b>
              <Joined {...{ device, tell }} onEnd={() => end(joinedKey(device))} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface JoinedProps {
  readonly device: OwnDevice;
  readonly tell: Tell;
  readonly onEnd: () => void;
}

/** When it was paired, and what to do about it. */
function Joined({ device: { device, name, since }, tell, onEnd }: JoinedProps): JSX.Element {
  const words = TEXT.home;
  const command = `godwit server revoke ${device}`;
  const of = (act: string): string => `${act}: ${lineText(name)}`;
  return (
    <>
      <p>
        {words.joinedSays(agoText(timeOf(since), Date.now()))} {words.joinedRefuse(command)}
      </p>
      <div class="acts">
        <button type="button" class="strong" aria-label={of(words.joinedMine)} onClick={onEnd}>
          {words.joinedMine}
        </button>
        <button
          type="button"
          aria-label={of(words.joinedCopy)}
          onClick={() => copyText(tell, command)}
        >
          {words.joinedCopy}
        </button>
      </div>
    </>
  );
}

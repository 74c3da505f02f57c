/** The page: finds who carries its calls, and shows itself. */
import { render } from 'preact';
import { Api, type CallTransport } from '../view/api.ts';
import { App } from './app.tsx';
import { Message } from './message.tsx';
import { TEXT } from '../view/text.ts';
import { webTransport } from './web-carrier.ts';
import './page.css';
import 'uplot/dist/uPlot.min.css';

declare global {
  interface Window {
    /** What the preload script of the tray puts there. */
    readonly godwit?: CallTransport;
  }
}

const root = document.getElementById('page');
if (root === null) throw new Error('the page has no place to be');

try {
  const carrier = window.godwit ?? (await webTransport());
  render(<App api={new Api(carrier)} />, root);
} catch {
  // The token was used before, or is too old; or the daemon ended meanwhile.
  render(<Message title={TEXT.welcome.signedOut} body={TEXT.welcome.signedOutHow} />, root);
}

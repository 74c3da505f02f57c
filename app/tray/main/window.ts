/** The window: our page in a sandbox, which leads nowhere else and may do nothing that pages can ask a person for. */
import { app, BrowserWindow, session } from 'electron';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pane } from '../view/menu.ts';
import { TEXT } from '../view/text.ts';
import { SHOW_CHANNEL } from './channels.ts';

const PAGE = join(__dirname, 'window', 'index.html');

/**
 * Shows our page in a sandboxed window, which is hidden, not destroyed, when a person closes it.
 */
export class PageWindow {
  /** The address that the page has. */
  readonly address = pathToFileURL(PAGE).href;
  #window: BrowserWindow | null = null;
  #isQuitting = false;

  constructor() {
    app.on('before-quit', () => (this.#isQuitting = true));
    session.defaultSession.setPermissionRequestHandler((_contents, _what, answer) => answer(false));
  }

  /** `pane` null: as it was. */
  show(pane: Pane | null): void {
    const window = (this.#window ??= this.#make());
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    if (pane === null) return;
    const { webContents } = window;
    const tell = (): void => webContents.send(SHOW_CHANNEL, pane);
    if (webContents.isLoading()) webContents.once('did-finish-load', tell);
    else tell();
  }

  #make(): BrowserWindow {
    const window = new BrowserWindow({
      width: 420,
      height: 640,
      minWidth: 320,
      minHeight: 320,
      show: false,
      title: TEXT.product,
      icon: join(__dirname, 'icons', 'godwit.png'),
      autoHideMenuBar: true,
      webPreferences: {
        preload: join(__dirname, 'preload.cjs'),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    });
    const { webContents } = window;
    webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
    webContents.on('will-navigate', (event) => event.preventDefault());
    webContents.on('will-attach-webview', (event) => event.preventDefault());
    // What is closed is only away from sight, where there is an icon to bring it back.
    window.on('close', (event) => {
      if (this.#isQuitting) return;
      event.preventDefault();
      window.hide();
    });
    window.on('closed', () => (this.#window = null));
    void window.loadFile(PAGE);
    return window;
  }
}

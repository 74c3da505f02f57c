/** The icon: its picture by the state and the colours of the panel, its words, and its menu. */
import { Menu, nativeImage, nativeTheme, Tray, type MenuItemConstructorOptions } from 'electron';
import { join } from 'node:path';
import { menuOf, type MenuItem, type MenuAction } from '../view/menu.ts';
import { iconState, tooltip, type Known } from '../view/status-view.ts';

export interface Shown {
  readonly state: string;
  readonly tooltip: string;
  readonly menu: readonly MenuItem[];
}

/** Shows the icon in the panel with its picture, tooltip and menu, and passes on what is chosen. */
export class Icon {
  readonly #does: (wish: MenuAction) => void;
  readonly #tray: Tray;
  #known: Known;
  #picture = '';
  #menu = '';

  constructor(known: Known, does: (wish: MenuAction) => void) {
    this.#known = known;
    this.#does = does;
    this.#tray = new Tray(pictureOf(this.#pictureName()));
    this.#tray.on('click', () => does({ do: 'show', pane: 'activity' }));
    nativeTheme.on('updated', () => this.show(this.#known));
    this.show(known);
  }

  show(known: Known): Shown {
    this.#known = known;
    const now = Date.now();
    const picture = this.#pictureName();
    if (picture !== this.#picture) {
      this.#picture = picture;
      this.#tray.setImage(pictureOf(picture));
    }
    const words = tooltip(known, now);
    this.#tray.setToolTip(words);
    const menu = menuOf(known, now);
    // An open menu must not be replaced under the pointer for nothing.
    const text = JSON.stringify(menu);
    if (text !== this.#menu) {
      this.#menu = text;
      this.#tray.setContextMenu(Menu.buildFromTemplate(menu.map((each) => this.#template(each))));
    }
    return { state: iconState(known), tooltip: words, menu };
  }

  #pictureName(): string {
    return `${iconState(this.#known)}-${nativeTheme.shouldUseDarkColors ? 'dark' : 'light'}`;
  }

  #template(item: MenuItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'line':
        return { type: 'separator' };
      case 'menu': {
        const submenu = item.items.map((each) => this.#template(each));
        return { label: labelOf(item.label), submenu };
      }
      case 'item': {
        const { wish } = item;
        if (wish === null) return { label: labelOf(item.label), enabled: false };
        return { label: labelOf(item.label), click: () => this.#does(wish) };
      }
    }
  }
}

/** `&` before a letter would be its key. */
const labelOf = (text: string): string => text.replaceAll('&', '&&');

const pictureOf = (name: string): Electron.NativeImage =>
  nativeImage.createFromPath(join(__dirname, 'icons', `${name}.png`));

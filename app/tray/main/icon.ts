/** The icon: its picture by what the daemon does, what needs a person and the panel, its words, and its menu. */
import { Menu, nativeImage, nativeTheme, Tray, type MenuItemConstructorOptions } from 'electron';
import { join } from 'node:path';
import { iconLook, pictureName, type IconStyle } from '../view/appearance.ts';
import { menuOf, type MenuItem, type MenuAction } from '../view/menu.ts';
import { activityOf, attentionOf, iconState, tooltip, type Known } from '../view/status-view.ts';

export interface Shown {
  readonly state: string;
  readonly picture: string;
  readonly tooltip: string;
  readonly menu: readonly MenuItem[];
}

/** Shows the icon in the panel with its picture, tooltip and menu, and passes on what is chosen. */
export class Icon {
  readonly #does: (wish: MenuAction) => void;
  readonly #tray: Tray;
  #known: Known;
  #style: IconStyle;
  #picture = '';
  #menu = '';

  constructor(known: Known, style: IconStyle, does: (wish: MenuAction) => void) {
    this.#known = known;
    this.#style = style;
    this.#does = does;
    this.#tray = new Tray(pictureOf(this.#pictureName()));
    this.#tray.on('click', () => does({ do: 'show', pane: 'home' }));
    nativeTheme.on('updated', () => this.show(this.#known));
    this.show(known);
  }

  restyle(style: IconStyle): void {
    this.#style = style;
    this.show(this.#known);
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
    return { state: iconState(known), picture, tooltip: words, menu };
  }

  #pictureName(): string {
    const look = iconLook(this.#style, process.platform, nativeTheme.shouldUseDarkColors);
    return pictureName(activityOf(this.#known), attentionOf(this.#known), look);
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

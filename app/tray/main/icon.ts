/** The icon: its picture by what the daemon does, what needs a person and the panel, its words, and its menu. */
import { Menu, nativeImage, nativeTheme, Tray, type MenuItemConstructorOptions } from 'electron';
import { join } from 'node:path';
import { iconLook, pictureName, type IconStyle } from '../view/appearance.ts';
import { HeldMenu, type Later } from '../view/held-menu.ts';
import { choicesOf, menuOf, type MenuItem, type MenuAction } from '../view/menu.ts';
import { activityOf, attentionOf, iconState, tooltip, type Known } from '../view/status-view.ts';

/** What the icon says, besides its picture. */
interface Words {
  readonly tooltip: string;
  readonly menu: readonly MenuItem[];
}

export interface Shown extends Words {
  readonly state: string;
  readonly picture: string;
}

/** Shows the icon in the panel with its picture, tooltip and menu, and passes on what is chosen. */
export class Icon {
  readonly #does: (wish: MenuAction) => void;
  readonly #tray: Tray;
  #known: Known;
  #style: IconStyle;
  #picture = '';
  /** What is wanted, and what the panel has. */
  #wanted: Words = { tooltip: '', menu: [] };
  #shown = '';
  readonly #held = new HeldMenu<Words>((words) => this.#put(words), later);

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
    const words = { tooltip: tooltip(known, now), menu: menuOf(known, now) };
    this.#replace(words);
    return { state: iconState(known), picture, ...words };
  }

  #replace(words: Words): void {
    const before = this.#wanted;
    if (JSON.stringify(words) === JSON.stringify(before)) return;
    this.#wanted = words;
    this.#held.replace(words, choicesOf(words.menu) !== choicesOf(before.menu));
  }

  /** On Linux a new tooltip gives the panel the menu anew, with other numbers for its items. */
  #put(words: Words): void {
    const text = JSON.stringify(words);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#tray.setToolTip(words.tooltip);
    this.#tray.setContextMenu(this.#built(words.menu));
  }

  #built(items: readonly MenuItem[]): Menu {
    const menu = Menu.buildFromTemplate(items.map((each) => this.#template(each)));
    menu.on('menu-will-show', () => this.#held.opened());
    menu.on('menu-will-close', () => this.#held.closed());
    return menu;
  }

  /** The panel's word that the menu is closed may never come. The menu whose item is being clicked must outlast the click. */
  #choose(wish: MenuAction): void {
    setImmediate(() => this.#held.closed());
    this.#does(wish);
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
        // A menu inside of it is the one that a panel on Linux tells of; that it is closed may mean that the next one opens.
        const submenu = Menu.buildFromTemplate(item.items.map((each) => this.#template(each)));
        submenu.on('menu-will-show', () => this.#held.opened());
        return { label: labelOf(item.label), submenu };
      }
      case 'item': {
        const { wish } = item;
        if (wish === null) return { label: labelOf(item.label), enabled: false };
        return { label: labelOf(item.label), click: () => this.#choose(wish) };
      }
    }
  }
}

const later: Later = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** `&` before a letter would be its key. */
const labelOf = (text: string): string => text.replaceAll('&', '&&');

const pictureOf = (name: string): Electron.NativeImage =>
  nativeImage.createFromPath(join(__dirname, 'icons', `${name}.png`));

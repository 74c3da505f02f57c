/** How the window and the icon look, and of what the desktop is told, as a person has chosen. */

export const THEMES = ['automatic', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** `light`: for a light panel. `colour` is readable on both. */
export const ICON_STYLES = ['automatic', 'light', 'dark', 'colour'] as const;
export type IconStyle = (typeof ICON_STYLES)[number];

/** What the desktop is told of. `needs`: errors, a full quota, changes that wait for long. */
export const NOTICE_KINDS = ['conflicts', 'removals', 'needs', 'laptops', 'updates'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface Appearance {
  readonly theme: Theme;
  readonly icon: IconStyle;
  /** Kinds of which the desktop is told nothing; the window shows all of them. */
  readonly silent: readonly NoticeKind[];
}

export const DEFAULT_APPEARANCE: Appearance = { theme: 'automatic', icon: 'automatic', silent: [] };

/** What was kept, or a page has sent: what is none of these is as if nobody had chosen. */
export function appearanceOf(given: unknown): Appearance {
  const { theme, icon, silent } = (given ?? {}) as Record<string, unknown>;
  const off: readonly unknown[] = Array.isArray(silent) ? silent : [];
  return {
    theme: THEMES.find((each) => each === theme) ?? DEFAULT_APPEARANCE.theme,
    icon: ICON_STYLES.find((each) => each === icon) ?? DEFAULT_APPEARANCE.icon,
    silent: NOTICE_KINDS.filter((each) => off.includes(each)),
  };
}

/** The choice with a kind of notices turned on or off. */
export function withNotices(chosen: Appearance, kind: NoticeKind, isOn: boolean): Appearance {
  const others = chosen.silent.filter((each) => each !== kind);
  return { ...chosen, silent: isOn ? others : [...others, kind] };
}

/** Which pictures a panel gets. On Linux nobody knows whether the panel is dark: it follows no theme of programs. */
export function iconLook(
  style: IconStyle,
  platform: string,
  isDark: boolean,
): Exclude<IconStyle, 'automatic'> {
  if (style !== 'automatic') return style;
  if (platform === 'linux') return 'colour';
  return isDark ? 'dark' : 'light';
}

/** The file of a picture, without its end. */
export const pictureName = (activity: string, attention: string, look: string): string =>
  attention === 'none' ? `${activity}-${look}` : `${activity}-${attention}-${look}`;

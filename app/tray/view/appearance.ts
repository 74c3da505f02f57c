/** How the window and the icon look, as a person has chosen. */

export const THEMES = ['automatic', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** `light`: for a light panel. `colour` is readable on both. */
export const ICON_STYLES = ['automatic', 'light', 'dark', 'colour'] as const;
export type IconStyle = (typeof ICON_STYLES)[number];

export interface Appearance {
  readonly theme: Theme;
  readonly icon: IconStyle;
}

export const DEFAULT_APPEARANCE: Appearance = { theme: 'automatic', icon: 'automatic' };

/** What was kept, or a page has sent: what is none of these is as if nobody had chosen. */
export function appearanceOf(given: unknown): Appearance {
  const { theme, icon } = (given ?? {}) as { theme?: unknown; icon?: unknown };
  return {
    theme: THEMES.find((each) => each === theme) ?? DEFAULT_APPEARANCE.theme,
    icon: ICON_STYLES.find((each) => each === icon) ?? DEFAULT_APPEARANCE.icon,
  };
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

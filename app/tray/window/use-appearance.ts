/** How the page looks: as the program of the tray keeps it, or, in a browser, a cookie. Pages of a daemon have another port each time, and cookies know no ports. */
import { useEffect } from 'preact/hooks';
import { resultOf, type Api } from '../view/api.ts';
import { appearanceOf, DEFAULT_APPEARANCE, type Appearance } from '../view/appearance.ts';

const COOKIE = 'godwit-theme';
const YEAR_S = 31_536_000;

/** What was chosen last. */
export async function readAppearance({ carrier }: Api): Promise<Appearance> {
  if (carrier.program !== null) {
    return appearanceOf(await resultOf(carrier.program.appearance(null)));
  }
  const pair = document.cookie.split('; ').find((each) => each.startsWith(`${COOKIE}=`));
  return appearanceOf({ ...DEFAULT_APPEARANCE, theme: pair?.slice(COOKIE.length + 1) });
}

/** Keeps it, and shows it at once. */
export async function keepAppearance({ carrier }: Api, chosen: Appearance): Promise<void> {
  show(chosen);
  if (carrier.program !== null) await resultOf(carrier.program.appearance(chosen));
  else document.cookie = `${COOKIE}=${chosen.theme}; Path=/; Max-Age=${YEAR_S}; SameSite=Strict`;
}

/** `automatic`: as the system says. */
function show({ theme }: Appearance): void {
  if (theme === 'automatic') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event('themed'));
}

/** Shows the page as it was chosen. */
export function useTheme(api: Api): void {
  useEffect(() => void readAppearance(api).then(show, () => undefined), [api]);
}

/** A path of a volume as messages for people have it: with the slash of its root, so that it can be given to any command. */
export const fromRoot = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

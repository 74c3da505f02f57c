/** Opens an address or a path with the program that the desktop has set for it. */
import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // The first argument in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens it with the desktop. False if there is no desktop, or no program that opens things: then the caller prints it. */
export async function openWithDesktop(
  what: string,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const opener = OPENERS[platform];
  if (opener === undefined && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return false;
  const [program = '', ...args] = opener ?? ['xdg-open'];
  const child = spawn(program, [...args, what], { stdio: 'ignore', detached: true, env });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Opens what is in the folder, or shows where it lies: by the program of the tray, or by the daemon where the page is in a browser. */
import { resultOf, type Api } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { nothingToSay, type Tell } from './toast.tsx';

/** `path`: from the root of the folder; '' is the folder itself. */
export function openPlace(api: Api, tell: Tell, path: string, reveal = false): void {
  const names = path === '' ? [] : path.split('/');
  const { program } = api.carrier;
  const call =
    program === null
      ? api.command('open', { path: names, reveal })
      : resultOf(program.open(names, reveal));
  void tell(call, nothingToSay);
}

/** Puts a text into the clipboard, and says so. Where a browser lets nobody, the text itself is said. */
export function copyText(tell: Tell, text: string): void {
  const call = navigator.clipboard.writeText(text).then(
    () => TEXT.home.copied(text),
    () => TEXT.home.notCopied(text),
  );
  void tell(call, (said) => said);
}

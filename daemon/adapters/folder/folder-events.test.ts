import { expect, it } from '@jest/globals';
import { FolderEvents } from './folder-events.ts';

it('FolderEvents delivers an event to all listeners in their order before it continues', () => {
  const events = new FolderEvents();
  const heard: string[] = [];
  events.on('pathChanged', (path, hint) => heard.push(`one ${path} ${hint?.live === true}`));
  events.on('pathChanged', (path) => heard.push(`two ${path}`));
  events.on('statusChanged', () => heard.push('status'));
  events.emit('pathChanged', 'a/b', { live: true });
  heard.push('told');
  events.emit('pathChanged', 'c');
  events.emit('retryNeeded');
  expect(heard).toEqual(['one a/b true', 'two a/b', 'told', 'one c false', 'two c']);
});

it('FolderEvents throws what a listener throws to the sender of the event', () => {
  const events = new FolderEvents();
  events.on('statusChanged', () => {
    throw new Error('no');
  });
  expect(() => events.emit('statusChanged')).toThrow('no');
});

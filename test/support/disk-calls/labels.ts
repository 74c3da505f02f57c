/**
 * The classes of files of server and laptop: the second word of a label, such as "sync pack". The first pattern that fits a
 * path counts, and `*` crosses slashes. Folders have a class of their own, since making names durable is a call of its own.
 */

export type Classes = ReadonlyArray<readonly [name: string, pattern: string]>;

export function serverClasses(data: string): Classes {
  return below(data, [
    ...databases('server.db', 'meta'),
    ...databases('contents.db', 'index'),
    ['pack', 'packs/*'],
    ['packs-folder', 'packs'],
    ['content', 'contents/*/*'],
    ['contents-folder', 'contents*'],
    ['quarantine', 'quarantine*'],
    ['spool', 'spool/*'],
    ['spool-folder', 'spool'],
    ['stream', 'streams/*'],
    ['streams-folder', 'streams'],
    ['identity', 'identity.json*'],
    ['listening', 'listening*'],
    ['control', 'control.sock'],
    ['lock', '*lock'],
    ['reserve', 'reserve*'],
    ['log', 'log*'],
    ['other', '*'],
    ['data-folder', ''],
  ]);
}

/** `folders`: the places at which its folder is, one after the other. */
export function laptopClasses(data: string, folders: readonly string[]): Classes {
  return [
    ...below(data, [
      ['daemon-recorded', 'daemon.db-recorded'],
      ...databases('daemon.db', 'daemon'),
      ...databases('folder.db', 'records'),
      ...databases('chunk-lists.db', 'chunk-lists'),
      ['store', 'store/contents/*'],
      ['store-folder', 'store/contents'],
      ['packed', 'store/packs/*'],
      ['packed-folder', 'store/packs'],
      ['staging', 'store/staging*'],
      ['out', 'store/out*'],
      ['lost', 'store/lost+found*'],
      ['store-folder', 'store*'],
      ['spool', 'spool/*'],
      ['spool-folder', 'spool'],
      ['copy', 'folder-copies*'],
      ['part', 'transfers/parts/*'],
      ['transfer', 'transfers/*'],
      ['transfer-folder', 'transfers'],
      ['identity', 'identity.json*'],
      ['config', 'config.json*'],
      ['move', 'folder-move.json*'],
      ['invitation', 'invitation.json*'],
      ['control', 'control.json*'],
      ['lock', 'daemon.lock'],
      ['log', 'log*'],
      ['other', '*'],
      ['data-folder', ''],
    ]),
    ...folders.flatMap((folder) =>
      below(folder, [
        ['tmp', '.godwit/tmp/*'],
        ['parked', '.godwit/parked/*'],
        ['late', '.godwit/late/*'],
        ['lost', '.godwit/lost+found/*'],
        ['marker', '.godwit/marker*'],
        ['own-folder', '.godwit*'],
        ['folder', '*'],
        ['root', ''],
      ]),
    ),
  ];
}

function databases(file: string, name: string): Classes {
  return [
    [`${name}-wal`, `${file}-wal`],
    [`${name}-shm`, `${file}-shm`],
    [`${name}-journal`, `${file}-journal`],
    [name, file],
  ];
}

function below(folder: string, classes: Classes): Classes {
  return classes.map(([name, pattern]) => [name, pattern === '' ? folder : `${folder}/${pattern}`]);
}

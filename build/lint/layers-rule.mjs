/**
 * ESLint rule `godwit/layers`: every import, re-export and import type of a file is judged by the
 * table in build/layers.mjs, and the message gives the table's reason.
 */
import { relative, sep } from 'node:path';
import { ROOT } from '../node-path.mjs';
import { judgeImport } from './judge-import.mjs';

export const layersRule = {
  meta: {
    type: 'problem',
    docs: { description: 'imports go only where build/layers.mjs lets them' },
    schema: [],
    messages: { refused: '{{ reason }}' },
  },
  create(context) {
    const file = relative(ROOT, context.filename).split(sep).join('/');

    function check(node, specifier, typeOnly) {
      if (typeof specifier !== 'string') return;
      const reason = judgeImport(file, specifier, { typeOnly });
      if (reason !== null) context.report({ node, messageId: 'refused', data: { reason } });
    }

    return {
      ImportDeclaration: (node) => check(node, node.source.value, isTypeImport(node)),
      ExportNamedDeclaration: (node) => check(node, node.source?.value, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source.value, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source.value, false),
      TSImportType: (node) => check(node, node.source?.value, true),
    };
  },
};

function isTypeImport(node) {
  if (node.importKind === 'type') return true;
  const names = node.specifiers;
  return names.length > 0 && names.every((name) => name.importKind === 'type');
}

/** Reports what the client exports, and types of its signatures that it does not: `node exports.mjs TYPESCRIPT INDEX`. */

import process from "node:process";

const [, , compiler, index] = process.argv;
const { default: ts } = await import(compiler);

const program = ts.createProgram([index], { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: [] });
const checker = program.getTypeChecker();
const resolve = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const names = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)));
const exported = new Set(names.map(resolve));
const missing = new Set();

function visit(node) {
  if (ts.isTypeReferenceNode(node)) {
    const symbol = resolve(checker.getSymbolAtLocation(node.typeName));
    const isForeign = symbol.declarations.some((one) => program.isSourceFileDefaultLibrary(one.getSourceFile()));
    if (!isForeign && !(symbol.flags & ts.SymbolFlags.TypeParameter) && !exported.has(symbol)) missing.add(symbol.name);
  }
  ts.forEachChild(node, visit);
}
for (const { declarations } of exported) declarations.forEach(visit);

console.log(JSON.stringify({ exported: names.map(({ name }) => name), missing: [...missing].sort() }));

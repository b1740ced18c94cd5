/** Finds circular imports in the inputs of an esbuild metafile. */

/** Returns the first cycle as a list of paths, or null. */
export function importCycle({ inputs }) {
  const finished = new Set();
  const visit = (path, parents) => {
    if (parents.includes(path)) return [...parents.slice(parents.indexOf(path)), path];
    if (finished.has(path)) return null;
    for (const { path: imported } of inputs[path]?.imports ?? []) {
      const cycle = visit(imported, [...parents, path]);
      if (cycle !== null) return cycle;
    }
    finished.add(path);
    return null;
  };
  for (const path of Object.keys(inputs).filter((path) => !path.includes("node_modules"))) {
    const cycle = visit(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

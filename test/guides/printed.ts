/** Runs code as a guide prints it. */
import ts from 'typescript';

/** What a printed module exports, where these are the packages it may import. */
export function exportsOf(code: string, packages: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const exported: Record<string, unknown> = {};
  const load = (name: string): unknown => {
    if (!Object.hasOwn(packages, name)) throw new Error(`The example imports "${name}".`);
    return packages[name];
  };
  // The text is the guide's own.
  new Function('require', 'exports', outputText)(load, exported);
  return exported;
}

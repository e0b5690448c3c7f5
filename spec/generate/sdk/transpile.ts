// The runtime's sources (src/sdk/*.ts and what they share with the gateway) as plain JavaScript and declarations: types taken out, nothing
// else changed.
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const sources = fileURLToPath(new URL("../../../src/sdk/", import.meta.url));
/** Seen from there. */
const shared = ["../json/parse.ts"];

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
  declaration: true,
  strict: true,
};

/** Files by their name, such as `call.js` and `call.d.ts`. */
export function runtimeFiles(): Record<string, string> {
  const paths = [...globSync("*.ts", { cwd: sources }), ...shared].sort();
  return Object.fromEntries(
    paths.flatMap((path) => {
      const fileName = basename(path);
      const source = publishedPaths(readFileSync(`${sources}${path}`, "utf8"));
      const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, { fileName, compilerOptions, reportDiagnostics: true });
      if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host));
      const script = ts.transpileModule(source, { fileName, compilerOptions }).outputText;
      const name = basename(fileName, ".ts");
      return [
        [`${name}.js`, script],
        [`${name}.d.ts`, outputText],
      ];
    }),
  );
}

/** Imports as they are in the package. */
function publishedPaths(source: string): string {
  return source
    .replace(/"\.\.\/\.\.\/generated\/sdk\/types\.d\.ts"/g, '"../types.js"')
    .replace(/"\.\.\/(?:[\w-]+\/)*([\w-]+)\.ts"/g, '"./$1.js"')
    .replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"');
}

const host: ts.FormatDiagnosticsHost = { getCurrentDirectory: () => "", getCanonicalFileName: (name) => name, getNewLine: () => "\n" };

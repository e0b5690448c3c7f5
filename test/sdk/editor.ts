// An editor on a program in the empty project: what it completes and what it shows, as TypeScript's language service says.
import { join } from "node:path";
import ts from "typescript";
import type { Project } from "./packed.ts";

/** Where the cursor stands in a program's text. */
export const cursor = "‸";

export interface Editor {
  /** Names or words that are offered at the cursor, sorted; those of the language itself and of its globals left out. */
  completions(program: string): string[];
  /** What is shown on the name before the cursor: its declaration and, below, its documentation. */
  hover(program: string): string;
  /** Messages on the program. */
  errors(program: string): string[];
}

export function editorOf(project: Project): Editor {
  const file = join(project.folder, "program.ts");
  let text = "";
  let version = 0;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  };
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : "0"),
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => project.folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const open = (program: string): number => {
    const at = program.indexOf(cursor);
    text = program.replace(cursor, "");
    version += 1;
    return at;
  };
  return {
    completions(program) {
      const found = service.getCompletionsAtPosition(file, open(program), {});
      const isOwn = ({ sortText }: ts.CompletionEntry) => sortText !== "15" && sortText !== "16";
      return (found?.entries ?? [])
        .filter(isOwn)
        .map(({ name }) => name)
        .sort();
    },
    hover(program) {
      const info = service.getQuickInfoAtPosition(file, open(program) - 1);
      const tags = (info?.tags ?? []).map(({ name, text: words }) => `@${name} ${ts.displayPartsToString(words)}`);
      return [ts.displayPartsToString(info?.displayParts), ts.displayPartsToString(info?.documentation), ...tags].join("\n");
    },
    errors(program) {
      open(program);
      const all = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
      return all.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  };
}

export interface Place {
  /** What stands there. */
  word: string;
  /** What stands before it on its line. */
  before: string;
  /** The program with the cursor in its place. */
  program: string;
}

/** Where a program names a member, a field, a code or an import of the library. */
export function placesIn(program: string): Place[] {
  const source = ts.createSourceFile("program.ts", program, ts.ScriptTarget.ESNext, true);
  const places: Place[] = [];
  const add = (word: string, start: number, end: number) => {
    const before = program.slice(program.lastIndexOf("\n", start - 1) + 1, start).trim();
    places.push({ word, before, program: program.slice(0, start) + cursor + program.slice(end) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) add(node.name.text, node.name.getStart(), node.name.end);
    else if (ts.isImportSpecifier(node)) add(node.name.text, node.getStart(), node.end);
    else if (ts.isObjectLiteralElementLike(node) && node.name !== undefined) {
      // With its comma: an editor's user writes from left to right.
      add(node.name.getText(), node.getStart(), node.end + /^,?/.exec(program.slice(node.end))![0].length);
    } else if (ts.isCallExpression(node) && node.expression.getText() === "SvcError.is")
      for (const code of node.arguments.filter((one) => ts.isStringLiteral(one))) add(code.text, code.getStart() + 1, code.end - 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return places;
}

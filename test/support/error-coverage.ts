// Which declared errors no test has seen. test/contract/uncovered-errors.txt lists them and may only shrink: a pair
// that is missing there fails the run, and so does one that is there although a test reaches it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialects, type ErrorCode, errors } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";

const listPath = fileURLToPath(new URL("../contract/uncovered-errors.txt", import.meta.url));

/** At the end of a whole run. */
export function compareReached(runFolder: string): void {
  const recordPath = join(runFolder, "reached-errors.txt");
  const reached = new Set(existsSync(recordPath) ? readFileSync(recordPath, "utf8").trim().split("\n") : []);
  const uncovered = Object.values(operations)
    .filter((operation) => operation.built)
    .flatMap((operation) =>
      operation.errors.filter((code) => !isReached(reached, operation, code)).map((code) => `${operation.id} ${code}`),
    )
    .sort();
  if (!existsSync(listPath)) return writeFileSync(listPath, `${uncovered.join("\n")}\n`);
  const listed = new Set(
    readFileSync(listPath, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  const unlisted = uncovered.filter((pair) => !listed.has(pair));
  const stale = [...listed].filter((pair) => !uncovered.includes(pair));
  if (unlisted.length > 0) complain("declared errors that no test reaches; write the tests", unlisted);
  if (stale.length > 0)
    complain("reached by a test or no longer declared; remove the lines from test/contract/uncovered-errors.txt", stale);
}

/** Under the name that the operation's dialect shows; the bare envelope has no code, and its type says it. */
function isReached(reached: Set<string>, operation: Operation, code: ErrorCode): boolean {
  const dialect = dialects[operation.dialect];
  const shown = dialect.codes[code] ?? (dialect.envelope === "bare" ? (dialect.types[errors[code].type] ?? errors[code].type) : code);
  return reached.has(`${operation.id} ${dialect.statuses[code] ?? errors[code].status} ${shown}`);
}

function complain(what: string, pairs: string[]): void {
  console.error(`\n${pairs.length} ${what}:\n  ${pairs.join("\n  ")}`);
  process.exitCode = 1;
}

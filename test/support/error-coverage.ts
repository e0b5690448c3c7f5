// Which declared errors no test has seen. test/contract/uncovered-errors.txt lists them and may only shrink: a pair
// that is missing there fails the run, and so does one that is there although a test reaches it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialects, type ErrorCode, errors } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";

const listPath = fileURLToPath(new URL("../contract/uncovered-errors.txt", import.meta.url));

/** At the end of a whole run; says what is wrong and makes the run fail. What a run that drew its files has not reached says nothing. */
export function failOnDifference(runFolder: string, hasDrawn: boolean): void {
  const complaints = compareReached(runFolder, listPath).filter((line) => !hasDrawn || !line.endsWith(missing));
  if (complaints.length === 0) return;
  console.error(`\n${complaints.join("\n")}`);
  process.exitCode = 1;
}

const missing = "declared, but no test reaches it; write the test";

/** Where there is no list yet it is written: the start from which it may only shrink. */
export function compareReached(runFolder: string, listPath: string, of: readonly Operation[] = Object.values(operations)): string[] {
  const recordPath = join(runFolder, "reached-errors.txt");
  const reached = new Set(existsSync(recordPath) ? readFileSync(recordPath, "utf8").trim().split("\n") : []);
  const uncovered = of
    .flatMap((operation) =>
      operation.errors.filter((code) => !isReached(reached, operation, code)).map((code) => `${operation.id} ${code}`),
    )
    .sort();
  if (!existsSync(listPath)) {
    mkdirSync(dirname(listPath), { recursive: true });
    writeFileSync(listPath, `${uncovered.join("\n")}\n`);
    return [];
  }
  const listed = readFileSync(listPath, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const unlisted = uncovered.filter((pair) => !listed.includes(pair)).map((pair) => `${pair}: ${missing}`);
  const stale = listed
    .filter((pair) => !uncovered.includes(pair))
    .map((pair) => `${pair}: reached or gone; remove it from uncovered-errors.txt`);
  return [...unlisted, ...stale];
}

/** Under the word that the operation's dialect shows: as error.code, or as error.type where the envelope has no code. */
function isReached(reached: Set<string>, operation: Operation, code: ErrorCode): boolean {
  const dialect = dialects[operation.dialect];
  const status = operation.statuses?.[code]?.[0] ?? dialect.statuses[code] ?? errors[code].status;
  return reached.has(`${operation.id} ${status} ${dialect.codes[code] ?? code}`);
}

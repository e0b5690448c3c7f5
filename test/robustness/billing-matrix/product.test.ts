// The matrix has no hole: every endpoint stands in a file of this folder, every exclusion excludes something.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Cell, endpoints, exclusionOf, exclusions, product, saysMalformed, writes } from "./cells.ts";

test("every endpoint that bills tokens is run by exactly one file", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const run = files.flatMap((name) => {
    const [, kinds = ""] = /^testMatrix\(\[(.*)\]\);$/m.exec(readFileSync(join(import.meta.dirname, name), "utf8")) ?? [];
    return [...kinds.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
  });
  expect(run.toSorted()).toEqual([...new Set(endpoints.map(({ kind }) => kind))].toSorted());
});

test.each(exclusions)("excluded, and nothing else excludes it: $reason", (exclusion) => {
  expect(product(endpoints).filter((cell) => exclusionOf(cell) === exclusion)).not.toEqual([]);
});

test("for every endpoint, streamed or not, each ending it can have has a cell that runs", () => {
  const all = product(endpoints);
  const rows = (cells: typeof all) => new Set(cells.map(({ kind, upstream, stream, ending }) => `${kind} ${upstream} ${stream} ${ending}`));
  const canEnd = (cell: Cell) => saysMalformed(cell) || cell.ending !== "complete, its last tool call malformed";
  const expected = all.filter((cell) => canEnd(cell) && (cell.stream ? writes(cell) : !cell.ending.startsWith("left before")));
  expect(rows(all.filter((cell) => exclusionOf(cell) === undefined))).toEqual(rows(expected));
});

// The SQL files themselves: released migrations stay as they are, functions stand in files of their names, what is generated is current.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readFunctions, readMigrations } from "../../src/db/migrate.ts";

const folder = resolve(import.meta.dirname, "../../src/db");

/** As `sha256sum *.sql` writes it. */
const released = readFileSync(join(folder, "migrations/released.txt"), "utf8").trimEnd().split("\n");
const migrations = readMigrations().map(({ name, hash }) => ({ name, line: `${hash}  ${name}.sql` }));

test("a migration that is listed in released.txt is as it was, and none is missing", () => {
  const faults = released
    .filter((line) => !migrations.some((migration) => migration.line === line))
    .map((line) => `${line.slice(66)} was edited or removed, but databases hold it as it was: restore it and add a new migration`);
  expect(faults).toEqual([]);
});

test("each migration is listed", () => {
  const faults = migrations
    .filter(({ name }) => !released.some((line) => line.endsWith(`  ${name}.sql`)))
    .map(({ line }) => `add to src/db/migrations/released.txt: ${line}`);
  expect(faults).toEqual([]);
});

test.each(readFunctions())("$name opens with what it promises and makes a function of its name", ({ name, text }) => {
  expect(text).toMatch(/^-- \S/);
  const made = [...text.matchAll(/^create or replace (?:function|procedure|aggregate) (\w+)\(/gm)].map(([, called]) => called);
  expect(made).toContain(name);
  expect(text.match(/\bcreate\b.*\b(?:function|procedure|aggregate)\b/g)).toHaveLength(made.length); // each can be loaded again
});

test("no function stands in two files", () => {
  const made = readFunctions().flatMap(({ name, text }) =>
    [...new Set([...text.matchAll(/^create or replace \w+ (\w+)\(/gm)].map(([, called]) => called))].map(
      (called) => `${called} in ${name}`,
    ),
  );
  const names = made.map((place) => place.split(" ")[0]);
  expect(made.filter((_, n) => names.indexOf(names[n]) !== n)).toEqual([]);
});

test("generated/ is what they make", () => {
  execFileSync(process.execPath, [join(folder, "generate.ts"), "--verify"], { stdio: "pipe" });
});

// Every mail and page of the gateway that sends a person to the console names a page that the console has.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("each address of the console that mails and pages name is one of its pages", () => {
  const router = readFileSync("src/console/router.tsx", "utf8");
  const pages = new Set([...router.matchAll(/(?:path: |page\()"(\/[a-z/-]*)/g)].map(([, path]) => path!));
  const named = globSync("src/{mail,notices,sign-in,workspaces,network,payments,operators,start}/**/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\/console(\/[a-z-]+)/g)].map(([, path]) => path!),
  );
  expect(named.length).toBeGreaterThan(9);
  expect(named.filter((path) => !pages.has(path))).toEqual([]);
});

// Telling what a file is must not depend on a load that fails in a bad moment: Node keeps one that failed halfway for as long as it lives.
import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { kindOf } from "../../src/media/kinds.ts";

const loaded: string[] = [];
registerHooks({
  resolve(name, context, next) {
    loaded.push(name);
    return next(name, context);
  },
});

test("the first file's kind is told without loading anything", async () => {
  const path = join(mkdtempSync(join(inject("runFolder"), "svc-kind-")), "picture");
  await writeFile(
    path,
    Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
  );
  loaded.length = 0;
  expect(await kindOf(path)).toMatchObject({ contentType: "image/png" });
  expect(loaded).toEqual([]);
});

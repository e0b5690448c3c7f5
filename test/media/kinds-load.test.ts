// Recognising a file must not depend on a module load that may fail: Node caches a module that failed halfway for the process's life.
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

test("the first file's kind is recognised without loading anything", async () => {
  const path = join(mkdtempSync(join(inject("runFolder"), "svc-kind-")), "picture");
  await writeFile(
    path,
    Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
  );
  loaded.length = 0;
  expect(await kindOf(path)).toMatchObject({ contentType: "image/png" });
  expect(loaded).toEqual([]);
});

// The list of errors that no test reaches: it may only shrink.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { compareReached } from "./error-coverage.ts";

let folder: string;
let list: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-coverage-"));
  list = join(folder, "uncovered-errors.txt");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = () => readFileSync(list, "utf8").trim().split("\n");
const reach = (...replies: string[]) => writeFileSync(join(folder, "reached-errors.txt"), `${replies.join("\n")}\n`);

test("without a list one is begun, with what no test reached", () => {
  reach("createChatCompletion 400 invalid_json");
  expect(compareReached(folder, list)).toEqual([]);
  expect(lines()).toContain("createChatCompletion missing_parameter");
  expect(lines()).not.toContain("createChatCompletion invalid_json");
  expect(compareReached(folder, list)).toEqual([]);
});

test("a declared error that is neither reached nor listed is a fault", () => {
  compareReached(folder, list);
  writeFileSync(
    list,
    lines()
      .filter((line) => line !== "createChatCompletion invalid_json")
      .join("\n"),
  );
  expect(compareReached(folder, list)).toEqual([expect.stringContaining("createChatCompletion invalid_json: declared")]);
});

test("a listed error that a test reaches, and one that is declared no more, must leave the list", () => {
  compareReached(folder, list);
  writeFileSync(list, `${lines().join("\n")}\ncreateChatCompletion no_such_code\n`);
  reach("createChatCompletion 400 invalid_json", "createChatCompletion 499 missing_parameter");
  expect(compareReached(folder, list)).toEqual([
    expect.stringContaining("createChatCompletion invalid_json: reached"),
    expect.stringContaining("createChatCompletion no_such_code: reached or gone"),
  ]);
});

test("an error in an older dialect counts under the name that it shows", () => {
  reach("getCreditBalance 401 auth_required");
  compareReached(folder, list, [operations.getCreditBalance]);
  expect(lines()).not.toContain("getCreditBalance missing_api_key");
  expect(lines()).toContain("getCreditBalance invalid_api_key");
});

test("an error of the bare envelope counts under its type, renamed or not", () => {
  reach("createRerank 404 model_not_found", "createRerank 403 forbidden", "createRerank 402 billing_error");
  compareReached(folder, list, [operations.createRerank]);
  expect(lines()).not.toContain("createRerank model_not_found");
  expect(lines()).not.toContain("createRerank permission_denied");
  expect(lines()).toContain("createRerank insufficient_credits");
});

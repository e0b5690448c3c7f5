// What an everyday run leaves out: only what is listed, by its share, and nothing of what is being changed.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { filesNotDrawn, filesOf, shares, uncommitted } from "./drawn-files.ts";
import { runEnvironment, scratchFolder } from "./leftovers.ts";

const listed = shares.flatMap(({ names }) => filesOf(names));
const never = () => 0.999;
const printed = vi.fn<(line: string) => void>();
beforeEach(() => {
  vi.stubEnv("CI", "");
  vi.spyOn(console, "log").mockImplementation(printed);
});
afterEach(() => {
  vi.unstubAllEnvs();
  printed.mockReset();
});

test.each(shares.flatMap(({ names }) => names))("%s is a file, or several", (name) => {
  expect(filesOf([name])).not.toEqual([]);
});

test("no file is listed twice", () => {
  expect(listed.filter((file, at) => listed.indexOf(file) !== at)).toEqual([]);
});

describe("nothing is left out", () => {
  test("in .ci/run, which sets CI", () => {
    vi.stubEnv("CI", "true");
    expect(filesNotDrawn(["run"], [], never)).toEqual([]);
  });

  test("in a run of chosen files", () => {
    expect(filesNotDrawn(["run", "test/ledger", "--bail=1"], [], never)).toEqual([]);
  });

  test("where every file is drawn", () => {
    expect(filesNotDrawn(["run"], [], () => 0)).toEqual([]);
  });
});

describe("an everyday run", () => {
  test("leaves what is listed alone, and says how much of it", () => {
    expect(filesNotDrawn(["run", "--reporter=dot"], [], never)).toEqual(listed);
    expect(printed.mock.calls).toEqual([
      [`NOT DRAWN: ${listed.length} of the ${listed.length} test files that take long; CI=1 npm test runs them all`],
    ]);
  });

  test("has of each list its share", () => {
    for (const { share, names } of shares) {
      const files = filesOf(names);
      const leftOf = (number: number) => filesNotDrawn(["run"], [], () => number).filter((file) => files.includes(file));
      expect([leftOf(share - 0.01), leftOf(share + 0.01)]).toEqual([[], files]);
    }
  });

  test.each([
    ["src/ledger/balance.ts", "test/ledger/race.test.ts"],
    ["test/ledger/new-account.ts", "test/ledger/race.test.ts"],
    ["src/docs/guides/errors.md", "test/docs/guides.test.ts"],
    ["src/sign-in/throttle.ts", "test/operations/sign-in/verify.test.ts"],
    ["src/language/serve.ts", "test/operations/chat/chat-slices.test.ts"],
    ["test/operations/chat/chat-gateway.ts", "test/operations/chat/chat-slices.test.ts"],
    ["handlers/create-image.ts", "test/operations/images/images-wait.test.ts"],
  ])("with a change of %s has %s", (changed, file) => {
    const left = filesNotDrawn(["run"], [changed], never);
    expect(listed).toContain(file);
    expect(left).not.toContain(file);
    expect(left).toContain("test/media/stores.test.ts");
  });
});

test("what is not yet committed: changed, staged and new files, without those that git ignores; outside of a checkout nothing", () => {
  const folder = scratchFolder("drawn-");
  expect(uncommitted(folder)).toEqual([]);
  const env = { ...runEnvironment(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...given: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...given], { cwd: folder, env });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  git("init", "-q");
  for (const name of ["same.ts", "changed.ts", "staged.ts"]) write(name, "one");
  write(".gitignore", "ignored.ts");
  git("add", ".");
  git("commit", "-qm", "One");
  for (const name of ["changed.ts", "staged.ts", "new.ts", "ignored.ts"]) write(name, "two");
  git("add", "staged.ts");
  expect(uncommitted(folder).sort()).toEqual(["changed.ts", "new.ts", "staged.ts"]);
});

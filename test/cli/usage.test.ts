// What `svc` says of itself: its version, the help of each command, what was meant by a slip, and numbers below 0.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { callSvc, runSvc } from "./run-svc.ts";

const environment = { DATABASE_URL: "postgres://svc@127.0.0.1:1/none" };
const svc = (...words: string[]) => callSvc(environment, words);

test("--version prints the package's version, with --json as an object", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  expect(await runSvc(environment, ["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
  expect((await svc("--version", "--json")).json()).toEqual({ version });
});

describe("help", () => {
  test.each([
    ["account", "create", "--help"],
    ["help", "account", "create"],
    ["account", "create", "-h"],
  ])("svc %s %s %s explains one command and each of its options", async (...words) => {
    const { status, stdout } = await svc(...words);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^usage: svc account create --email E \[--verified\] \[--signup-credit\] \[--deposit USD\] \[--credit USD\] \[--json\]\n/,
    );
    for (const option of ["--email E", "--verified", "--signup-credit", "--deposit USD", "--credit USD", "--json"])
      expect(stdout).toMatch(new RegExp(`^  ${option} +\\S`, "m"));
    expect(stdout).not.toContain("ledger audit");
  });

  test.each([[["account", "--help"]], [["help", "account"]]])("svc %j lists the commands of the group and no others", async (words) => {
    const { status, stdout } = await svc(...words);
    expect(status).toBe(0);
    for (const { name } of commands) expect(stdout.includes(`  ${name}`), name).toBe(name.startsWith("account "));
  });

  test("svc --help lists every command; that of each says what it takes and what each option of it does", async () => {
    const overview = await runSvc(environment, ["--help"]);
    expect(overview.status).toBe(0);
    for (const { name, takes, options, does } of commands) {
      expect(overview.stdout).toMatch(new RegExp(`^  ${name}( |$)`, "m"));
      const { status, stdout, stderr } = await svc(...name.split(" "), "--help");
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(["usage: svc", name, ...takes].join(" "));
      expect(stdout).toContain(does);
      for (const option of Object.keys(options)) expect(stdout, name).toMatch(new RegExp(`^  --${option} .*\\S`, "m"));
    }
  });

  test("svc account, without a command, is wrong usage and lists the group's commands", async () => {
    const ran = await svc("account");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("  account list");
    expect(ran.stderr).not.toContain("  ledger audit");
  });

  test("help of a command that does not exist is wrong usage", async () => {
    expect(await svc("nonsense", "--help")).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("a slip of the pen", () => {
  test.each([
    [["acount", "show", "1"], "account show"],
    [["account", "lst"], "account list"],
    [["account", "shwo", "1"], "account show"],
    [["statr"], "start"],
    [["ledger-audit"], "ledger audit"],
  ])("svc %j names the command that was meant", async (words, meant) => {
    const ran = await svc(...words);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain(`Did you mean svc ${meant}?`);
  });

  test("an option names the one that was meant", async () => {
    const ran = await svc("account", "create", "--emial", "ada@example.com");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("did you mean --email?");
  });
});

describe("numbers below 0 are arguments, not options", () => {
  test.each([
    ["account", "deposit", "acc_1", "-5"],
    ["account", "credit", "acc_1", "-0.5"],
  ])("svc %s %s %s %s is told that an amount must be above 0", async (...words) => {
    const ran = await svc(...words);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain(`USD must be above 0, not "${words[3]}"`);
    expect(ran.stderr).not.toContain("option '");
  });

  test("so is an option's value", async () => {
    const ran = await svc("account", "create", "--email", "ada@example.com", "--deposit", "-5");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain('--deposit must be above 0, not "-5"');
    const limited = await svc("key", "create", "acc_1", "--name", "laptop", "--limit", "-1");
    expect(limited.stderr).toContain('--limit must not be below 0, but is "-1"');
  });
});

// The command around its commands: the embedded database, an unmigrated one, another Node, and what it must not load.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbedded } from "../../src/db/embedded.ts";
import type { Command } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { otherNode } from "./other-node.ts";
import { callSvc, runSvc } from "./run-svc.ts";

describe("the embedded database", () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "svc-cli-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const svc = (...words: string[]) => runSvc({ SVC_DATA_DIR: folder }, words);
  const pidFile = () => join(folder, "postgres", "postmaster.pid");

  const needsNone = ["start", "migrate", "restore", "simulate", "provider test", "receipt verify", "catalog check", "catalog import"];
  const reading = commands.filter(({ name }) => !needsNone.includes(name)).map(linesOf);
  test.each([...reading, ["ledger", "audit", "--json"], ["migrate", "--plan"]].map((words) => ({ words, line: words.join(" ") })))(
    "svc $line where there is none is refused in one sentence that names folder and setting, and makes nothing",
    async ({ words }) => {
      const file = join(folder, "head.json");
      for (const dataDir of [folder, join(folder, "mistyped")]) {
        const ran = await callSvc({ SVC_DATA_DIR: dataDir, SVC_LEDGER_HEAD_FILE: file }, words);
        expect(ran).toMatchObject({ status: words[1] === "diff" ? 2 : 1, stdout: "" });
        expect(ran.stderr.trim().split("\n")).toEqual([expect.stringContaining(`no database in ${dataDir} (SVC_DATA_DIR)`)]);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("as a process too, and what needs no database makes none", async () => {
    expect(await svc("ledger", "audit", "--json")).toMatchObject({ status: 1, stdout: "" });
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(needsNone));
    for (const command of commands.filter(({ name }) => needsNone.slice(4).includes(name)))
      expect((await callSvc({ SVC_DATA_DIR: folder }, linesOf(command))).stderr).not.toContain("SVC_DATA_DIR");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("where no folder can be made the setting is named", async () => {
    const ran = await callSvc({ SVC_DATA_DIR: "/dev/null/data" }, ["migrate"]);
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/^SVC_DATA_DIR must be a folder[^:]*: ENOTDIR/)]);
  });

  test("a command never migrates: it is refused until svc migrate ran, which then does nothing a second time", async () => {
    await (await startEmbedded({ dataDir: folder, durable: true })).stop();
    const early = await svc("ledger", "audit", "--json");
    expect(early.status).toBe(1);
    expect(early.stderr).toContain("svc migrate");
    const plan = (await svc("migrate", "--plan", "--json")).json() as { migrations: { name: string; does: string }[]; is_new: boolean };
    expect(plan).toMatchObject({ is_new: true });
    expect(plan.migrations[0]).toMatchObject({
      name: "0001-schema",
      does: expect.stringMatching(/^The tables with their constraints/) as string,
    });
    expect((await svc("migrate", "--plan")).stdout).toMatch(/^migrations, all in one transaction[^]*\n0004-[^]*nothing was applied\n$/);
    const applied = (await svc("migrate", "--json")).json().applied as string[];
    expect(applied[0]).toBe("0001-schema");
    expect((await svc("migrate", "--json")).json()).toEqual({ applied: [] });
    expect((await svc("migrate", "--plan")).stdout).toBe("the database is up to date\n");
    expect((await svc("ledger", "audit", "--json")).json()).toMatchObject({ accounts: 0, mismatches: [] });
  });

  test("is started for a command and stopped after it", () => {
    expect(existsSync(pidFile())).toBe(false);
  });

  test("beside a gateway that uses it a command works, and leaves it running", async () => {
    const gateway = await startEmbedded({ dataDir: folder, durable: true });
    const ran = await svc("account", "create", "--email", "beside@example.com", "--json");
    expect(ran.status).toBe(0);
    expect(existsSync(pidFile())).toBe(true);
    await gateway.stop();
    expect(existsSync(pidFile())).toBe(false);
  });
});

test.runIf(otherNode)("under another Node it hands over to the pinned one, status and output kept", async () => {
  const help = await runSvc({}, ["--help"], otherNode);
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toContain("ledger audit");
  expect((await runSvc({}, ["nope"], otherNode)).status).toBe(2);
});

test("small commands load nothing of the server, the flows or the providers", () => {
  const folder = resolve(import.meta.dirname, "../../src");
  for (const command of ["main", "account", "key", "ledger", "job", "request", "provider", "catalog"]) {
    const loaded = loadedBy(join(folder, "cli", `${command}.ts`));
    expect(loaded).toContain(join(folder, "config.ts").replace("config.ts", command === "main" ? "config.ts" : "db/connect.ts"));
    expect(
      [...loaded].filter((path) => /src\/(server|language|providers\/(?!credentials\/key-header)|routing|simulator|main|start)/.test(path)),
    ).toEqual([]);
  }
});

/** Every module that a file imports at once, and they in turn; dynamic and type imports are not followed. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, target] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)";$/gm))
    loadedBy(resolve(dirname(file), target!), seen);
  return seen;
}

/** A right line of a command: its words, and the options that it needs. */
function linesOf({ name, takes, options }: Command): string[] {
  const needed = Object.entries(options).filter(([, { required }]) => required === true);
  const given = [...takes.map(valueOf), ...needed.flatMap(([option, { value }]) => [`--${option}`, valueOf(value!)])];
  return [...name.split(" "), ...given];
}

/** Of a placeholder, as the help has it. */
function valueOf(placeholder: string): string {
  const named: Record<string, string> = {
    NAME: "SVC_NOTICE",
    ROLE: "support",
    GROUP: "day",
    E: "ada@example.com",
    V: "openai",
    PROVIDER: "openai",
  };
  if (/FILE|LOG|KEYS/.test(placeholder)) return resolve(import.meta.dirname, "../../catalogs/openai.yaml");
  return named[placeholder] ?? "1";
}

// An upgrade as an operator does it: gateways of the version before, from git, serve while `svc migrate` of this one runs, then beside a
// gateway of this one, and start again on the newer tables, which is the way back. No call is lost, each is charged once as it said.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { readMigrations } from "../../src/db/migrate.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { keepAliveAgent } from "../robustness/chat-client.ts";
import { expectCharged, loadModels, startLoad } from "../robustness/load.ts";
import { openWorld } from "../robustness/world.ts";
import { type Program, shipped } from "../support/bundle.ts";
import { emptyDatabase, isMigrated } from "../support/database.ts";
import { until } from "../support/eventually.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { saySkipped } from "../support/skipped.ts";
import { oneInThree } from "../support/size.ts";
import { svcPath } from "../support/svc-path.ts";

const root = resolve(import.meta.dirname, "../..");
const migrations = "src/db/migrations";
/** Where no tag has such a version: so many migrations back. */
const back = 5;

const git = (...words: string[]) => spawnSync("git", ["-C", root, ...words], { encoding: "utf8" }).stdout?.trim() ?? "";

/**
 * The last version that lacks a migration, by its tag, or the commit before the oldest of the newest migrations. Null where the history is absent: files without git, a clone
 * that was cut short, a history that begins with all of them. In any other the version before is there, and not to find it is a fault.
 */
function commitBefore(): string | null {
  const isWhole = git("rev-parse", "--is-shallow-repository") === "false" && git("rev-parse", "--show-prefix") === "";
  if (!isWhole || git("rev-parse", "--verify", "--quiet", "HEAD") === "") return null;
  const tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split("\n").filter(Boolean);
  const newest = `${migrations}/${readMigrations().at(-1)!.name}.sql`;
  const released = tags.find((tag) => git("ls-tree", "--name-only", tag, newest) === "");
  if (released !== undefined) return released;
  const { name } = readMigrations().at(-back)!;
  const added = git("log", "-1", "--format=%H", "--diff-filter=A", "--", `${migrations}/${name}.sql`);
  if (added === "") throw new Error(`git knows no commit that added ${name}`);
  return git("rev-parse", "--verify", "--quiet", `${added}^`) || null;
}

/** That version as a folder, on the packages of this one. */
function checkOut(commit: string): string {
  const folder = join(scratchFolder("before-"), "gateway");
  mkdirSync(folder);
  const archive = execFileSync("git", ["-C", root, "archive", commit, ".", ":!test", ":!docs"], { maxBuffer: 256 * 2 ** 20 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const run = promisify(execFile);
async function svc<T>(path: string, env: Record<string, string>, ...words: string[]): Promise<T> {
  const { stdout } = await run(process.execPath, [path, ...words, "--json"], { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as T;
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

const commit = commitBefore();
if (commit === null)
  saySkipped("gateways of the version before beside this one: this clone's history does not reach back to them (git fetch --unshallow)");

(commit === null ? test.skip : oneInThree())(
  "gateways of the version before serve through the migration, beside the new one and started again after it: no call fails, each is charged once",
  async () => {
    const folder = checkOut(commit!);
    const older = readdirSync(join(folder, migrations)).flatMap((file) => /^(.+)\.sql$/.exec(file)?.[1] ?? []);
    const missing = readMigrations().map(({ name }) => name).filter((name) => !older.includes(name)); // prettier-ignore
    expect(missing.length).toBeGreaterThan(0);
    const old: Program = { path: join(folder, "bin/svc.js"), compileCache: join(folder, "compiled") };

    const database = await emptyDatabase();
    cleanUp.push(() => database.drop());
    const world = await openWorld({ models: loadModels, databaseUrl: database.url });
    cleanUp.push(() => world.stop());
    const first = await world.start({}, old);
    const made = await svc<{ account_id: string; api_key: string }>(
      old.path,
      world.env,
      ...["account", "create", "--email", "one@example.com", "--verified", "--deposit", "50"],
    );
    let urls = [first.url];
    const agent = keepAliveAgent(6);
    cleanUp.push(() => agent.destroy());
    const loads = [startLoad(() => urls, made.api_key, 6, 20_000, agent), startLoad(() => urls, made.api_key, 3, 20_000)];
    const answers = () => loads.flatMap((load) => load.answers);
    const served = (url: string, more = 60) => {
      const by = () => answers().filter((answer) => answer.url === url).length;
      const from = by();
      return until(() => by() >= from + more, `${more} calls of ${url} were answered`);
    };

    await served(first.url);
    const { applied } = await svc<{ applied: string[] }>(svcPath, world.env, "migrate");
    expect(applied.slice(0, missing.length)).toEqual(missing);
    await served(first.url);
    const newer = await world.start({}, shipped("svc"));
    urls = [first.url, newer.url];
    await Promise.all([served(first.url), served(newer.url)]);
    const again = await world.start({}, old);
    urls = [again.url, newer.url];
    await Promise.all([served(again.url), served(newer.url)]);
    const db = connect(database.url, { max: 1 });
    cleanUp.push(() => db.close());
    expect(await isMigrated(db)).toBe(true); // the older one left tables and functions as they were
    urls = [newer.url];
    await served(newer.url);
    expect(await Promise.all([first.kill("SIGTERM"), again.kill("SIGTERM")])).toEqual([0, 0]);
    await served(newer.url);
    await Promise.all(loads.map((load) => load.stop()));

    expect(answers().filter(({ status, whole }) => status !== 200 || !whole)).toEqual([]);
    await expectCharged(
      world,
      { accountId: BigInt(made.account_id.slice("acc_".length)) },
      { answers: answers(), stop: async () => undefined },
    );
    expect(await verifyChain(db)).toMatchObject({ broken: null });
    expect(await newer.kill("SIGTERM")).toBe(0);
  },
);

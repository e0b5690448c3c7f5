// How gateways start (docs/behaviour/operation.md#start): on an empty database, two at once, again, and not at all where something is wrong.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { runSvc } from "../cli/run-svc.ts";
import { freshDatabase } from "../support/database.ts";
import { spawnGateway, type SpawnedGateway } from "../support/gateway.ts";
import { catalogFile, catalogText } from "./catalog.ts";
import { chat } from "./chat-client.ts";
import { openDatabaseProxy } from "./database-proxy.ts";
import { oneInThree } from "../support/size.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

async function spawned(env: Record<string, string>): Promise<SpawnedGateway> {
  const gateway = await spawnGateway({ LOG_LEVEL: "warn", ...env });
  cleanUp.push(() => gateway.kill("SIGKILL"));
  return gateway;
}

/** Its Postgres outlives a killed gateway, so each of these tests stops its gateways in order. */
function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-start-"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Without the migrations that the template of the tests has. */
async function emptyDatabase(): Promise<string> {
  const { url, drop } = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("drop schema public cascade; create schema public");
  await client.end();
  cleanUp.push(drop);
  return url;
}

const demoKeyOf = (gateway: SpawnedGateway) => /^Demo key .*: (svc_\w+)$/m.exec(gateway.output())?.[1];
const serves = async (gateway: SpawnedGateway, key: string) => (await chat({ url: gateway.url, key, model: "best" })).status;

describe("an empty database", () => {
  oneInThree()("three gateways that start on it at once all come up", async () => {
    const url = await emptyDatabase();
    const gateways = await Promise.all([1, 2, 3].map(() => spawned({ DATABASE_URL: url })));
    for (const gateway of gateways) expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect(gateways.map(demoKeyOf)).toEqual([undefined, undefined, undefined]); // no key is printed with DATABASE_URL
    expect(await Promise.all(gateways.map((gateway) => gateway.kill("SIGTERM")))).toEqual([0, 0, 0]);
  });
});

oneInThree()("a gateway comes up while somebody keeps it from making the months to come, and says so", async () => {
  const { url, drop } = await freshDatabase();
  cleanUp.push(drop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ last: string }>(
    "select max(inhrelid::regclass::text) as last from pg_inherits where inhparent = 'usage_log'::regclass",
  );
  await client.query(`drop table ${rows[0]!.last}`);
  await client.query("begin; lock table usage_log in share update exclusive mode");
  const gateway = await spawned({ DATABASE_URL: url });
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  await expect.poll(() => gateway.output()).toContain("making partitions failed");
  await client.end();
  expect(await gateway.kill("SIGTERM")).toBe(0);
});

describe("the embedded database", () => {
  oneInThree()(
    "two gateways that start on it at once both come up and print one demo key, which works; later starts print it again",
    async () => {
      const SVC_DATA_DIR = newDataDir();
      const gateways = await Promise.all([1, 2].map(() => spawned({ SVC_DATA_DIR })));
      const keys = gateways.map(demoKeyOf);
      expect(keys[0]).toMatch(/^svc_/);
      expect(keys[1]).toBe(keys[0]);
      for (const gateway of gateways) expect(await serves(gateway, keys[0]!)).toBe(200);
      expect(await gateways[0]!.kill("SIGTERM")).toBe(0);
      expect(await serves(gateways[1]!, keys[0]!)).toBe(200); // the database stays with the one that uses it
      expect(await gateways[1]!.kill("SIGTERM")).toBe(0);

      const later = await spawned({ SVC_DATA_DIR, SVC_WORKERS: "2" });
      expect(demoKeyOf(later)).toBe(keys[0]);
      expect(await serves(later, keys[0]!)).toBe(200);
      expect((await runSvc({ SVC_DATA_DIR }, ["ledger", "audit", "--json"])).json()).toMatchObject({ accounts: 1, mismatches: [] });
      expect(await later.kill("SIGTERM")).toBe(0);
    },
  );

  oneInThree()("a demo key whose database is gone is replaced by one that works", async () => {
    const SVC_DATA_DIR = newDataDir();
    mkdirSync(SVC_DATA_DIR, { recursive: true });
    writeFileSync(join(SVC_DATA_DIR, "demo-key"), "svc_ofAnotherLife\n");
    const gateway = await spawned({ SVC_DATA_DIR });
    expect(demoKeyOf(gateway)).not.toBe("svc_ofAnotherLife");
    expect(await serves(gateway, demoKeyOf(gateway)!)).toBe(200);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

describe("what the first start shows", () => {
  const shownBy = async (env: Record<string, string>) => {
    const gateway = await spawned({ SVC_DATA_DIR: newDataDir(), ...env });
    const curl = /^curl (?:.|\n)*?\n\n/m.exec(gateway.output())![0];
    const answer = await promisify(execFile)("sh", ["-c", curl.replace("curl", "curl -sS --fail-with-body")]);
    expect(await gateway.kill("SIGTERM")).toBe(0);
    return { output: gateway.output(), curl, answer: JSON.parse(answer.stdout) as Record<string, unknown> };
  };

  test("simulated models and a call of `best` with the shipped catalog; the curl works", async () => {
    const { output, curl, answer } = await shownBy({});
    expect(output).toContain("simulated models");
    expect(curl).toContain('"model":"best"');
    expect(answer.object).toBe("chat.completion");
  });

  oneInThree()("with the operator's own catalog: a model that is in it, and nothing about simulated ones", async () => {
    const own = catalogText("simulator:", { plain: "plain" });
    const { output, curl, answer } = await shownBy({ SVC_CATALOG: catalogFile(own) });
    expect(output).not.toContain("simulated");
    expect(curl).toContain('"model":"demo/plain"');
    expect(answer.object).toBe("chat.completion");
  });

  oneInThree()("with a catalog without language models: the list of models", async () => {
    const { curl, answer } = await shownBy({ SVC_CATALOG: catalogFile(catalogText("simulator:", {}).replace("models:", "models: []")) });
    expect(curl).toContain("/v1/models");
    expect(answer.data).toEqual([]);
  });
});

describe("a start that fails ends with status 1 and says why", () => {
  const wrong = catalogText("http://127.0.0.1:1", { plain: "plain" }).replace("type: language", "type: langage");

  oneInThree().each([{ workers: "1" }, { workers: "2" }])(
    "a wrong catalog file: the file, the line, the reason ($workers workers)",
    async ({ workers }) => {
      const path = catalogFile(wrong);
      const database = await freshDatabase();
      cleanUp.push(database.drop);
      const ran = await runSvc({ DATABASE_URL: database.url, SVC_CATALOG: path, PORT: "0", SVC_WORKERS: workers }, ["start"]);
      expect(ran.status).toBe(1);
      expect(ran.stderr).toContain(`${path}:5: models[0].type`);
      expect(ran.stdout).not.toContain("gateway ready");
    },
  );

  oneInThree()("a catalog file that is wrong, missing or a folder: the sentence names it, and no database is made for it", async () => {
    for (const SVC_CATALOG of [catalogFile(wrong), join(inject("runFolder"), "nowhere.yaml"), inject("runFolder")]) {
      const SVC_DATA_DIR = newDataDir();
      const ran = await runSvc({ SVC_DATA_DIR, SVC_CATALOG, PORT: "0" }, ["start"]);
      expect(ran.status).toBe(1);
      expect(ran.stderr).toContain(SVC_CATALOG);
      expect(existsSync(join(SVC_DATA_DIR, "postgres"))).toBe(false);
    }
  });

  oneInThree().each([{ workers: "1" }, { workers: "2" }])("a port that is taken ($workers workers)", async ({ workers }) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    cleanUp.push(() => taken.close());
    const database = await freshDatabase();
    cleanUp.push(database.drop);
    const PORT = String((taken.address() as { port: number }).port);
    const ran = await runSvc({ DATABASE_URL: database.url, PORT, SVC_WORKERS: workers }, ["start"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(new RegExp(`PORT ${PORT} of 127.0.0.1 is taken by another process: .*EADDRINUSE.* 127\\.0\\.0\\.1:${PORT}`));
    expect(ran.stderr).not.toContain("is replaced");
  });

  oneInThree().each([{ workers: "1" }, { workers: "2" }])(
    "an address that can't be listened on: the embedded database ends with it ($workers workers)",
    async ({ workers }) => {
      const SVC_DATA_DIR = newDataDir();
      const ran = await runSvc({ SVC_DATA_DIR, HOST: "300.1.1.1", PORT: "0", SVC_WORKERS: workers }, ["start"]);
      expect(ran.status).toBe(1);
      expect(ran.stderr).toContain('HOST must be an address of this machine, not "300.1.1.1"');
      expect(existsSync(join(SVC_DATA_DIR, "postgres", "PG_VERSION"))).toBe(true);
      expect(existsSync(join(SVC_DATA_DIR, "postgres", "postmaster.pid"))).toBe(false);
    },
  );

  test("a wrong setting: no database is made for it, and no password is said", async () => {
    const SVC_DATA_DIR = newDataDir();
    const ran = await runSvc({ SVC_DATA_DIR, PORT: "0", DATABASE_DIRECT_URL: "mysql://u:p@host/svc" }, ["start"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("DATABASE_DIRECT_URL must be the address of a Postgres, such as postgres://user@host/database");
    expect(ran.stderr).not.toContain("u:p@");
    expect(existsSync(join(SVC_DATA_DIR, "postgres"))).toBe(false);
  });

  test("a database that does not answer", async () => {
    const ran = await runSvc({ DATABASE_URL: "postgres://127.0.0.1:1/nothing", PORT: "0" }, ["start"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("the Postgres of DATABASE_URL (127.0.0.1:1) takes no connection: connect ECONNREFUSED");
  });
});

describe("behind a transaction pooler, which takes no settings at a connection's start", () => {
  oneInThree()("the gateway migrates past it and serves through it; svc works beside it", async () => {
    const direct = await emptyDatabase();
    const pooler = await openDatabaseProxy(direct, { refuses: "statement_timeout" });
    cleanUp.push(() => pooler.close());
    const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct };
    const gateway = await spawned(env);
    const { status, json } = await runSvc(env, ["account", "create", "--email", "p@example.com", "--verified", "--deposit", "5", "--json"]);
    expect(status).toBe(0);
    const reply = await fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${String(json()["api_key"])}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "atelier/vector", prompt: "A fox" }),
    });
    expect(reply.status).toBe(202);
    await gateway.kill("SIGTERM");
  });
});

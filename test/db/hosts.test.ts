// Several hosts in DATABASE_URL, as libpq writes them: what is asked in which order, and a gateway that starts on the one that takes writes.
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { parseHosts } from "../../src/db/hosts.ts";
import { runSvc } from "../cli/run-svc.ts";
import { chat } from "../robustness/chat-client.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../robustness/database-proxy.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { until } from "../support/eventually.ts";

describe("an address is read as libpq reads it", () => {
  const written: [string, readonly string[], string][] = [
    ["postgres://u:p@a:1/db", ["postgres://u:p@a:1/db"], "any"],
    ["postgres:///db?host=/run/pg", ["postgres:///db?host=/run/pg"], "any"],
    ["/run/pg svc", ["/run/pg svc"], "any"],
    ["postgres://a/db?target_session_attrs=primary", ["postgres://a/db"], "primary"],
    [
      "postgresql://u:p%40@a:1,b,[::1]:3/db?sslmode=disable&target_session_attrs=read-write",
      [
        "postgresql://u:p%40@a:1/db?sslmode=disable",
        "postgresql://u:p%40@b/db?sslmode=disable",
        "postgresql://u:p%40@[::1]:3/db?sslmode=disable",
      ],
      "read-write",
    ],
    ["postgres://u@/db?host=a,b&port=1,2", ["postgres://u@/db?host=a&port=1", "postgres://u@/db?host=b&port=2"], "any"],
    ["postgres://u@/db?host=a,b&port=7", ["postgres://u@/db?host=a&port=7", "postgres://u@/db?host=b&port=7"], "any"],
  ];
  test.each(written)("%s", (url, urls, target) => expect(parseHosts(url)).toEqual({ urls, target }));
});

describe("of three hosts, one that only reads, one that is gone and one that takes writes", () => {
  let world: World;
  let reader: Embedded;
  let wires: DatabaseProxy[];
  beforeAll(async () => {
    world = await openWorld({ models: { quick: "quick+sim-tokens-10" } });
    reader = await startEmbedded({ dataDir: `${inject("runFolder")}/reader`, durable: false });
    const name = new URL(world.databaseUrl).pathname.slice(1);
    const admin = connect(reader.url, { max: 1 });
    await admin.pool.query(`create database ${name}`);
    await admin.pool.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.close();
    const readerUrl = Object.assign(new URL(reader.url), { pathname: `/${name}` }).href;
    wires = await Promise.all([readerUrl, world.databaseUrl, world.databaseUrl].map((url) => openDatabaseProxy(url)));
    wires[1]!.cut();
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all(wires.map((wire) => wire.close()));
    reader.kill9();
    await reader.stop();
  });

  /** All wires by one address. */
  const together = (target: string) => {
    const { username, pathname } = new URL(wires[0]!.url);
    const hosts = wires.map(({ url }) => new URL(url).host).join(",");
    return `postgres://${username}@${hosts}${pathname}?target_session_attrs=${target}`;
  };

  test("a gateway starts, charges and listens on the last; svc works on it too", async () => {
    const DATABASE_URL = together("read-write");
    const gateway = await world.start({ DATABASE_URL });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    const account = await world.createAccount("1");
    expect((await chat({ url: gateway.url, key: account.key, model: "demo/quick" })).status).toBe(200);
    const listening = "select 1 from pg_stat_activity where datname = current_database() and application_name = 'svc-listen'";
    expect((await world.db.pool.query(listening)).rowCount).toBe(2);
    expect((await runSvc({ DATABASE_URL }, ["ledger", "audit", "--json"])).json()).toMatchObject({ entries: 2, mismatches: [] });
  });

  test("a gateway that runs goes on at another host once the one that it used is gone, and back", async () => {
    const gateway = await world.start({ DATABASE_URL: together("read-write") });
    const account = await world.createAccount("1");
    const call = () => chat({ url: gateway.url, key: account.key, model: "demo/quick" });
    expect((await call()).status).toBe(200);
    const listeners = async () => {
      const sql = "select 1 from pg_stat_activity where datname = current_database() and application_name = 'svc-listen'";
      return (await world.db.pool.query(sql)).rowCount;
    };
    try {
      for (const [from, to] of [
        [wires[2]!, wires[1]!],
        [wires[1]!, wires[2]!],
      ] as const) {
        const before = await listeners();
        to.restore();
        from.cut();
        await until(async () => (await call()).status === 200, "calls are answered");
        await until(async () => (await fetch(`${gateway.url}/readyz`)).status === 200, "it is ready");
        await until(async () => (await listeners()) === before, "it listens");
      }
      expect(await world.audit()).toMatchObject({ mismatches: [] });
    } finally {
      wires[2]!.restore();
      wires[1]!.cut();
    }
  });

  test("any: the first that answers, in their order", async () => {
    const db = connect(together("any"), { max: 1 });
    await expect(db.pool.query("create table t (a int)")).rejects.toMatchObject({ code: "25006" });
    await db.close();
  });

  test("none that takes writes: the start ends with a sentence", async () => {
    const url = new URL(wires[0]!.url);
    const DATABASE_URL = `postgres://${url.username}@${url.host},127.0.0.1:1${url.pathname}?target_session_attrs=primary`;
    const primary = connect(DATABASE_URL, { max: 1 });
    expect((await primary.pool.query("select 1")).rowCount).toBe(1); // it is one, and only reads
    await primary.close();
    const ran = await runSvc({ DATABASE_URL: DATABASE_URL.replace("primary", "read-write"), PORT: "0" }, ["start"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/ECONNREFUSED|none of the hosts is read-write/);
  });

  test.each(["standby", "prefer-standby", "read-only", "nonsense"])(
    "target_session_attrs=%s stops the start: the gateway writes",
    async (target) => {
      const ran = await runSvc({ DATABASE_URL: together(target), PORT: "0" }, ["start"]);
      expect([ran.status, ran.stderr]).toEqual([
        1,
        expect.stringContaining(`DATABASE_URL asks for target_session_attrs=${target}, but the gateway writes: read-write, primary, any`),
      ]);
    },
  );
});

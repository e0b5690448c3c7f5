// The same through PgBouncer in transaction mode, run by deploy/pgbouncer/pgbouncer.ini; and what a gateway says that isn't told of it.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { runSvc } from "../cli/run-svc.ts";
import { chat } from "../robustness/chat-client.ts";
import { openWorld } from "../robustness/world.ts";
import { until } from "../support/eventually.ts";
import { needTool } from "../support/find-tool.ts";
import { expectExactAfter, openReplicas } from "./kills.ts";
import { type Pooler, startPooler } from "./pooler.ts";
import { oneInThree } from "../support/size.ts";

const [nginx, pgbouncer] = [needTool("nginx"), needTool("pgbouncer")];
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

async function pooled(databaseUrl: string, options?: { ignores: string }): Promise<Pooler> {
  const pooler = await startPooler(pgbouncer!, databaseUrl, options);
  cleanUp.push(() => pooler.stop());
  return pooler;
}

describe.skipIf(nginx === null || pgbouncer === null)("through PgBouncer in transaction mode", () => {
  oneInThree()("a replica and PgBouncer killed under load: money and limits agree; a revoked key is refused by every replica", async () => {
    let pooler: Pooler;
    const replicas = await openReplicas(nginx!, async ({ databaseUrl }) => {
      pooler = await pooled(databaseUrl);
      return { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: databaseUrl };
    });
    cleanUp.push(() => replicas.stop());
    const { world, gateways } = replicas;
    await expectExactAfter(replicas, async (served) => {
      await served(40);
      const victim = Math.floor(Math.random() * 3);
      await sleep(Math.random() * 200);
      await replicas.kill(victim);
      const restarted = replicas.restart(victim);
      await served(40);
      await restarted; // a gateway that starts without its database ends
      await pooler.kill("SIGKILL");
      await sleep(Math.random() * 500);
      await pooler.start();
      await served(40);
    });

    const listening = await world.db.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'svc-listen'",
    );
    expect(listening.rowCount).toBe(6); // two a replica, past the pooler
    const { key } = await world.createAccount("5");
    const ask = () => Promise.all(gateways.map(async ({ url }) => (await chat({ url, key, model: "demo/whole" })).status));
    expect(await ask()).toEqual([200, 200, 200]);
    await runSvc({ DATABASE_URL: world.databaseUrl }, ["key", "disable", key]);
    await until(async () => (await ask()).every((status) => status === 401), "all refuse the key");
    expect(await Promise.all(gateways.map((gateway) => gateway.kill("SIGTERM")))).toEqual([0, 0, 0]);
  });

  oneInThree()("without DATABASE_DIRECT_URL the start fails and says what is missing", async () => {
    const world = await openWorld({ models: { plain: "plain" } });
    cleanUp.push(() => world.stop());
    const { url } = await pooled(world.databaseUrl);
    const ran = await runSvc({ ...world.env, DATABASE_URL: url, PORT: "0" }, ["start"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("set DATABASE_DIRECT_URL to the Postgres behind it");
  });

  test("without it, at a pooler that lets our settings pass: a warning, and a revoked key is refused anyway", async () => {
    const world = await openWorld({ models: { plain: "plain+sim-tokens-3" } });
    cleanUp.push(() => world.stop());
    const { url } = await pooled(world.databaseUrl, { ignores: "statement_timeout, idle_in_transaction_session_timeout" });
    const gateway = await world.start({ DATABASE_URL: url });
    await until(() => gateway.output().includes("seen up to a second late"), "it warns");
    const { key } = await world.createAccount("5");
    const ask = async () => (await chat({ url: gateway.url, key, model: "demo/plain" })).status;
    expect(await ask()).toBe(200);
    await runSvc({ DATABASE_URL: world.databaseUrl }, ["key", "disable", key]);
    await until(async () => (await ask()) === 401, "it refuses the key");
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

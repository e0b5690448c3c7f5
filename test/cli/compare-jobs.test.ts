// A media job that was being made at the moment that is restored: the gateway follows it to its end and charges it, so `svc ledger compare
// --post` must not.
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { emptyDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { callSvc } from "./run-svc.ts";

test("a job that goes on after a restore is listed apart and not posted: its end charges it, once", async () => {
  const folder = scratchFolder("charges-");
  const [log, file] = [join(folder, "charges.jsonl"), join(folder, "gateway.backup")];
  const simulator = await startSimulator(); // one for both, as a provider is; the backup has 6 s to begin while the job is made
  const catalog = JSON.stringify({
    providers: [{ id: "queue", protocol: "fal", base_url: `${simulator.url}/fal` }],
    models: [
      {
        ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.01 } },
        routes: [{ provider: "queue", model: "ember/slow-image+sim-slow-6000ms" }],
      },
    ],
  });
  const svc = (url: string, ...words: string[]) => callSvc({ DATABASE_URL: url }, [...words, "--json"]);
  const gateway = await startGateway({ catalog, env: { SVC_CHARGE_LOG: log } });
  const account = await gateway.createAccount({ deposit: "5" });
  const before = await gateway.request("POST", "/v1/images/generations", {
    key: account.key,
    body: { model: "demo/image", prompt: "A boat" },
  });
  const path = `/v1/jobs/${String(before.json.id)}`;
  await eventually(() => expect(simulator.calls().some(({ method }) => method === "POST")).toBe(true));
  await eventually(async () => {
    const { rows } = await gateway.context.db.pool.query<{ upstream: object | null }>("select upstream from media_job");
    expect(rows[0]!.upstream).not.toBeNull();
  });
  await svc(gateway.databaseUrl, "backup", file);
  const isDone = (of: typeof gateway) =>
    eventually(async () => expect((await of.request("GET", path, { key: account.key })).json).toMatchObject({ status: "succeeded" }));
  await isDone(gateway);
  await gateway.stop();

  const restored = await emptyDatabase();
  expect(await svc(restored.url, "restore", file)).toMatchObject({ status: 0 });
  const posted = await svc(restored.url, "ledger", "compare", log, "--post");
  expect(posted.json()).toMatchObject({
    logged: 1,
    lost: [],
    posted: 0,
    going_on: [{ request_id: before.headers["x-request-id"], usd: 0.01 }],
  });
  expect(posted.status).toBe(0);
  const next = await startGateway({ catalog, databaseUrl: restored.url });
  await isDone(next);
  expect(await next.balance(account)).toEqual({ balance: 4.99, reserved: 0, spent: 0.01 });
  expect((await svc(restored.url, "ledger", "compare", log)).json()).toMatchObject({ lost: [], going_on: [] });
  await next.stop();
  await simulator.close();
  await restored.drop();
});

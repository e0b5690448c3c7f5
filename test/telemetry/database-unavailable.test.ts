// A database that is down or silent removes from /metrics only what it alone knows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabaseProxy, type DatabaseProxy } from "../robustness/database-proxy.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import { readConfig } from "../../src/config.ts";
import { type Gateway, startGateway } from "../../src/main.ts";
import pino from "pino";
import { join } from "node:path";
import { inject } from "vitest";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { scrape, scrapeUntil } from "./scrape.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let gateway: Gateway;
beforeAll(async () => {
  database = await freshDatabase();
  proxy = await openDatabaseProxy(database.url);
  const text = JSON.stringify({ providers: [provider("north")], models: [language("demo/chat", ["chat"])] });
  const { catalog } = loadCatalog({ text, environment: {}, simulatorUrl: "http://127.0.0.1:9" });
  const config = readConfig({ PORT: "0", SVC_DATA_DIR: join(inject("runFolder"), "data") });
  gateway = await startGateway(config, { databaseUrl: proxy.url, catalog, log: pino({ level: "silent" }) });
});
afterAll(async () => {
  proxy.restore();
  await gateway.stop();
  await proxy.close();
  await database.drop();
});

test.each(["cut", "silence"] as const)(
  "%s: the page is answered and says so, holds of before are not shown, and it comes back",
  async (how) => {
    await scrapeUntil(gateway, (page) => page.figure("svc_database_up") === 1 && page.all("svc_open_holds").length > 0);
    proxy[how]();
    const away = await scrapeUntil(gateway, (page) => page.figure("svc_database_up") === 0);
    expect(away.all("svc_open_holds")).toEqual([]);
    expect(away.figure("svc_batcher_waiting", { batcher: "settle" })).toBe(0);
    // Two at once ask no more of it than one.
    for (const page of await Promise.all([scrape(gateway), scrape(gateway)])) expect(page.figure("svc_database_up")).toBe(0);
    proxy.restore();
    await scrapeUntil(gateway, (page) => page.figure("svc_database_up") === 1);
  },
);

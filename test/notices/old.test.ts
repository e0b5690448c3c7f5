// Notices and what became of them are kept for 30 days, by the gateway's clock.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTeamGateway, type TeamGateway } from "../operations/team/team-gateway.ts";
import { startWebhookServer, trusting, type WebhookServer } from "../operations/team/webhook-server.ts";
import { until } from "../support/eventually.ts";

let now = new Date();
let gateway: TeamGateway;
let server: WebhookServer;
beforeAll(async () => {
  server = await startWebhookServer();
  const env = { SVC_ALLOW_PRIVATE_URLS: "1" };
  gateway = await startTeamGateway({ notices: { everyMs: 50 }, webhooks: trusting, clock: () => now, env });
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
/** One process of all deletes what is old once an hour: as if that hour had gone by. */
async function tidied(): Promise<void> {
  const isDue = "swept_at <= clock_timestamp() - interval '1 hour'";
  await query("update notice_sweep set swept_at = '-infinity' where name = 'tidy'");
  await until(async () => (await query(`select from notice_sweep where name = 'tidy' and ${isDue}`)).rowCount === 0, "it is swept");
}

test("after 30 days notices go with their mails and the webhooks' log, however many they are, and no younger one does", async () => {
  const who = await gateway.person();
  const root = "/v1/workspace/webhooks";
  const { id } = (await gateway.ask(who, "POST", root, { body: { url: server.url("/old") } })).json;
  const log = async () => (await gateway.ask(who, "GET", `${root}/${id}/deliveries`)).json.data;
  const notices = async () => (await gateway.ask(who, "GET", "/v1/workspace/notices/log")).json.data;
  // More than one statement deletes; each was sent as a mail and to a webhook.
  const days = (count: number) => new Date(now.getTime() - count * 24 * 60 * 60_000);
  const write = (cause: string, at: Date, count: number) =>
    query(
      `with n as (insert into notice (account_id, id, event, cause, data, created_at, planned_at)
         select $1, gen_random_uuid(), 'balance.low', $2 || g, '{"balance_usd": 1, "threshold_usd": 5}', $3, $3 from generate_series(1, $4::int) g
         returning id)
       insert into notice_delivery (account_id, id, notice_id, address, endpoint_id, created_at, state)
       select $1, gen_random_uuid(), n.id, case when mail then $5 end, case when not mail then $6::uuid end, $3, 'delivered'
       from n, unnest('{true,false}'::boolean[]) mail`,
      [who.accountId, cause, at, count, who.email, id.slice(4)],
    );
  await write("young ", new Date(days(30).getTime() + 60_000), 3);
  await write("old ", new Date(days(30).getTime() - 1), 2_100);
  await tidied();
  const left = async (table: string) => (await query(`select from ${table} where account_id = $1`, [who.accountId])).rowCount;
  await until(async () => (await left("notice")) === 3, "the old ones are deleted");
  expect(await left("notice_delivery")).toBe(6);
  expect([(await notices()).length, (await log()).length]).toEqual([3, 3]);
  now = new Date(now.getTime() + 61_000);
  await tidied();
  await until(async () => (await left("notice")) === 0, "the others are deleted");
  expect(await left("notice_delivery")).toBe(0);
  expect([await notices(), await log()]).toEqual([[], []]);
});

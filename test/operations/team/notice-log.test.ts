// GET /v1/workspace/notices/log over HTTP: what is listed, to whom, page by page; and the same in the account's export.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeNotice } from "../../../src/notices/notices.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => void (gateway = await startTeamGateway({ notices: { everyMs: 50, lookMs: 60_000 } })));
afterAll(() => gateway.stop());

const path = "/v1/workspace/notices/log";
const get = (who: Person, workspace?: string, query = "") => gateway.ask(who, "GET", `${path}${query}`, { in: workspace });
const low = (accountId: bigint, cause: string, personId?: bigint) =>
  writeNotice(gateway.context.db, {
    ...{ accountId, event: "balance.low", cause, data: { balance_usd: 4, threshold_usd: 5 }, at: gateway.context.clock() },
    ...(personId === undefined ? {} : { personId }),
  });

describe("listNotices", () => {
  test("200: a notice with what it says, and how many mails were delivered", async () => {
    const { workspace, accountId, owner, admin, billing } = await gateway.team();
    await low(accountId, "first");
    const delivered = { delivered: 2, waiting: 0, failed: 0 };
    await expect.poll(async () => (await get(owner, workspace)).json.data[0].mails).toEqual(delivered);
    for (const who of [owner, admin, billing]) {
      const { status, json } = await get(who, workspace);
      expect([status, json]).toEqual([
        200,
        {
          object: "list",
          data: [
            {
              ...{ id: expect.stringMatching(/^ntc_[0-9a-f]{32}$/), object: "notice", event: "balance.low", mails: delivered },
              ...{ data: { balance_usd: 4, threshold_usd: 5 }, webhooks: { delivered: 0, waiting: 0, failed: 0 } },
              created_at: expect.any(String),
            },
          ],
          ...{ has_more: false, last_id: json.data[0].id },
        },
      ]);
    }
  });

  test("pages hold each notice once, the newest first; what is for another person alone and tests of webhooks are not in them", async () => {
    const { workspace, accountId, owner, admin } = await gateway.team();
    for (const cause of ["a", "b", "c", "d", "e"]) await low(accountId, cause);
    await low(accountId, "for one", admin.accountId);
    await gateway.context.db.pool.query(
      `insert into notice (account_id, id, event, cause, data, created_at, planned_at)
       values ($1, gen_random_uuid(), 'webhook.test', 'a test', '{}', now(), now())`,
      [accountId],
    );
    const ids: string[] = [];
    for (let query = "?limit=2"; ;) {
      const { json } = await get(owner, workspace, query);
      ids.push(...json.data.map(({ id }: { id: string }) => id));
      if (!json.has_more) break;
      query = `?limit=2&after=${json.last_id}`;
    }
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
    expect(ids).toEqual([...ids].sort().reverse());
    const seen = (await get(admin, workspace)).json.data;
    expect(seen).toHaveLength(6);
    const hidden = seen.find(({ id }: { id: string }) => !ids.includes(id)).id;
    expect(codeOf(await get(owner, workspace, `?after=${hidden}`))).toEqual([400, "invalid_parameter"]);
  });

  test("400 invalid_parameter: an id of another workspace, of nothing, or no id; a page of no or too many notices", async () => {
    const [one, other] = [await gateway.person(), await gateway.person()];
    await low(one.accountId, "mine");
    const { last_id } = (await get(one)).json;
    const wrong = [`after=${last_id}`, `after=ntc_${"0".repeat(32)}`, "after=1", "after=ntc_", "limit=0", "limit=101"];
    for (const query of wrong)
      expect([query, ...codeOf(await get(other, undefined, `?${query}`))]).toEqual([query, 400, "invalid_parameter"]);
    expect((await get(other)).json).toMatchObject({ data: [], last_id: null });
  });

  test("403 permission_denied for developers and viewers, session_required for a key", async () => {
    const { workspace, developer, viewer } = await gateway.team();
    for (const who of [developer, viewer]) expect(codeOf(await get(who, workspace))).toEqual([403, "permission_denied"]);
    expect(codeOf(await gateway.request("GET", path, { key: developer.key }))).toEqual([403, "session_required"]);
  });

  test("the account's export holds them", async () => {
    const person = await gateway.person();
    await low(person.accountId, "exported");
    const { text } = await gateway.ask(person, "GET", "/v1/account/export");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ record }) => record === "notice")).toMatchObject([{ object: "notice", event: "balance.low" }]);
    expect(lines.at(-1)).toMatchObject({ record: "end" });
  });
});

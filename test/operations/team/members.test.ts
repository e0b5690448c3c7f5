// Members over HTTP: the list, roles, removing and leaving, by everyone who may not, and many at once.
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { readConfig } from "../../../src/config.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { startGateway as startServer, type Gateway as Server } from "../../../src/main.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { checkedRequest } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
let replica: Server;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog });
  replica = await startServer(readConfig({ PORT: "0" }), {
    databaseUrl: gateway.databaseUrl,
    catalog: gateway.context.catalog,
    log: pino({ level: "silent" }),
  });
});
afterAll(async () => {
  await replica.stop();
  await gateway.stop();
});

const denied = [403, "permission_denied"];
const change = (who: Person, workspace: string, member: string, role: string) =>
  gateway.ask(who, "PATCH", `/v1/workspace/members/${member}`, { in: workspace, body: { role } });
const remove = (who: Person, workspace: string, member: string, query = "") =>
  gateway.ask(who, "DELETE", `/v1/workspace/members/${member}${query}`, { in: workspace });
const leave = (who: Person, workspace: string, query = "") => gateway.ask(who, "POST", `/v1/workspace/leave${query}`, { in: workspace });
const members = async (who: Person, workspace: string): Promise<any[]> =>
  (await gateway.ask(who, "GET", "/v1/workspace/members", { in: workspace })).json.data;
const rolesIn = async (who: Person, workspace: string) => (await members(who, workspace)).map(({ role }) => role);

describe("GET /v1/workspace/members", () => {
  test("pages in the order of joining", async () => {
    const { workspace, owner, admin, developer, billing, viewer } = await gateway.team();
    const page = async (query: string) => (await gateway.ask(viewer, "GET", `/v1/workspace/members?${query}`, { in: workspace })).json;
    const first = await page("limit=2");
    expect(first).toMatchObject({
      has_more: true,
      last_id: admin.userId,
      data: [{ id: owner.userId, role: "owner" }, { id: admin.userId }],
    });
    const second = await page(`limit=3&after=${first.last_id}`);
    expect(second).toMatchObject({ has_more: false, data: [{ id: developer.userId }, { id: billing.userId }, { id: viewer.userId }] });
    expect(await page(`after=${viewer.userId}`)).toMatchObject({ data: [], has_more: false, last_id: null });
  });

  test("400 for the id of someone else", async () => {
    const { workspace, viewer } = await gateway.team();
    const { userId } = await gateway.person();
    for (const after of [userId, "usr_1", "x"])
      expect(codeOf(await gateway.ask(viewer, "GET", `/v1/workspace/members?after=${after}`, { in: workspace }))).toEqual([
        400,
        "invalid_parameter",
      ]);
  });
});

describe("roles of members", () => {
  test("a changed role counts from the next request on, on every process", async () => {
    const { workspace, owner, viewer } = await gateway.team();
    const create = (url: string) =>
      checkedRequest(url, "POST", "/v1/auth/keys", { key: viewer.session, headers: { "x-workspace-id": workspace }, body: { name: "k" } });
    expect(codeOf(await create(replica.url))).toEqual(denied);
    expect((await change(owner, workspace, viewer.userId, "developer")).json).toMatchObject({ id: viewer.userId, role: "developer" });
    expect((await create(replica.url)).status).toBe(200);
    expect((await change(owner, workspace, viewer.userId, "viewer")).status).toBe(200);
    for (const url of [replica.url, gateway.url]) expect(codeOf(await create(url))).toEqual(denied);
  });

  test("403 permission_denied: what an admin asked for waits until the role is taken, and nothing changes", async () => {
    const { db } = gateway.context;
    const { workspace, accountId, owner, admin } = await gateway.team();
    const [hooks, url] = ["/v1/workspace/webhooks", "https://example.com/hook"];
    const ask = (who: Person, method: string, path: string, body?: object) => gateway.ask(who, method, path, { in: workspace, body });
    const { id } = (await ask(owner, "POST", hooks, { url })).json;
    const state = async () => [
      (await ask(owner, "GET", hooks)).json.data,
      (await ask(owner, "GET", `${hooks}/${id}/deliveries`)).json.data,
      (await ask(owner, "GET", "/v1/workspace/notices")).json,
      (await ask(owner, "GET", "/v1/workspace")).json,
    ];
    const before = await state();
    const asked = [
      ["POST", hooks, { url }],
      ["PATCH", `${hooks}/${id}`, { enabled: false }],
      ["POST", `${hooks}/${id}/roll`, {}],
      ["POST", `${hooks}/${id}/test`, undefined],
      ["DELETE", `${hooks}/${id}`, undefined],
      ["PATCH", "/v1/workspace/notices", { low_balance_usd: 7 }],
      ["PATCH", "/v1/workspace", { name: "Another name" }],
    ] as const;
    const replies = await inTransaction(db, async ({ pool }) => {
      await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
      const lowered = change(owner, workspace, admin.userId, "viewer");
      await untilWaiting(db, "for no key update");
      const later = asked.map(([method, path, body]) => ask(admin, method, path, body));
      await untilWaiting(db, "for no key update", 1 + asked.length);
      return [lowered, ...later];
    });
    const [lowered, ...later] = await Promise.all(replies);
    expect(lowered!.status).toBe(200);
    expect(later.map(codeOf)).toEqual(asked.map(() => denied));
    expect(await state()).toEqual(before);
  });

  test("403 permission_denied: what a member with the role billing asked for waits until the role is taken, and nothing changes", async () => {
    const { db } = gateway.context;
    const { workspace, accountId, owner, billing } = await gateway.team();
    const state = async () => (await gateway.ask(owner, "GET", "/v1/credits/auto-topup", { in: workspace })).json;
    const before = await state();
    const asked = [
      ["PATCH", "/v1/credits/auto-topup", { threshold_usd: 6 }],
      ["DELETE", "/v1/credits/auto-topup/card", undefined],
      ["POST", "/v1/credits/vouchers/redeem", { code: "0000-0000-0000-0000" }],
    ] as const;
    const { replies } = await inTransaction(db, async ({ pool }) => {
      await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
      const replies = asked.map(([method, path, body]) => gateway.ask(billing, method, path, { in: workspace, body }));
      await untilWaiting(db, "for no key update", asked.length);
      await pool.query("update member set role = 'viewer' where account_id = $1 and person_id = $2", [accountId, billing.accountId]);
      return { replies };
    });
    expect((await Promise.all(replies)).map(codeOf)).toEqual(asked.map(() => denied));
    expect(await state()).toEqual(before);
  });

  test.each(["workspace", "person"] as const)(
    "403 permission_denied: what an owner asked for waits until the %s is suspended, and nothing changes",
    async (suspended) => {
      const { db } = gateway.context;
      const { workspace, accountId, owner, viewer } = await gateway.team();
      const asked = [
        ["POST", "/v1/auth/keys", { name: "late" }],
        ["POST", "/v1/workspace/webhooks", { url: "https://example.com/hook" }],
        ["PATCH", "/v1/workspace", { name: "Another name" }],
        ["DELETE", `/v1/workspace/members/${viewer.userId}`, undefined],
      ] as const;
      const { replies } = await inTransaction(db, async ({ pool }) => {
        await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
        const replies = asked.map(([method, path, body]) => gateway.ask(owner, method, path, { in: workspace, body }));
        await untilWaiting(db, "for no key update", asked.length);
        await setSuspended({ pool }, suspended === "person" ? owner.accountId : accountId, new Date());
        return { replies };
      });
      expect((await Promise.all(replies)).map(codeOf)).toEqual(asked.map(() => denied));
      for (const one of [owner.accountId, accountId]) await setSuspended(db, one, null);
      const keys = (await gateway.ask(owner, "GET", "/v1/auth/keys", { in: workspace })).json.data;
      const hooks = (await gateway.ask(owner, "GET", "/v1/workspace/webhooks", { in: workspace })).json.data;
      expect([keys, hooks, await rolesIn(owner, workspace)]).toEqual([[], [], expect.arrayContaining(["viewer"])]);
    },
  );

  test("403 permission_denied: a person who is suspended while asking for a workspace gets none", async () => {
    const { db } = gateway.context;
    const person = await gateway.person();
    const { reply } = await inTransaction(db, async ({ pool }) => {
      await setSuspended({ pool }, person.accountId, new Date());
      const reply = gateway.ask(person, "POST", "/v1/workspaces", { body: { name: "Late" } });
      await untilWaiting(db, "for no key update");
      return { reply };
    });
    expect(codeOf(await reply)).toEqual(denied);
  });

  test("an admin makes no owner, changes none and removes none", async () => {
    const { workspace, owner, admin, viewer } = await gateway.team();
    expect(codeOf(await change(admin, workspace, viewer.userId, "owner"))).toEqual(denied);
    expect(codeOf(await change(admin, workspace, admin.userId, "owner"))).toEqual(denied);
    expect(codeOf(await change(admin, workspace, owner.userId, "viewer"))).toEqual(denied);
    expect(codeOf(await remove(admin, workspace, owner.userId))).toEqual(denied);
    expect((await change(admin, workspace, viewer.userId, "admin")).status).toBe(200);
    expect(await rolesIn(owner, workspace)).toEqual(["owner", "admin", "developer", "billing", "admin"]);
  });

  test("nobody else raises anybody", async () => {
    const team = await gateway.team();
    for (const role of ["developer", "billing", "viewer"] as const) {
      expect(codeOf(await change(team[role], team.workspace, team[role].userId, "admin"))).toEqual(denied);
      expect(codeOf(await remove(team[role], team.workspace, team.viewer.userId))).toEqual(denied);
    }
  });

  test("the last owner keeps the role, and does not leave; with a second one either may", async () => {
    const { workspace, owner, viewer } = await gateway.team();
    expect(codeOf(await change(owner, workspace, owner.userId, "admin"))).toEqual(denied);
    expect(codeOf(await leave(owner, workspace))).toEqual(denied);
    expect(codeOf(await remove(owner, workspace, owner.userId))).toEqual(denied);
    expect((await change(owner, workspace, viewer.userId, "owner")).status).toBe(200);
    expect(codeOf(await leave(owner, workspace, "?keys=burn"))).toEqual([400, "invalid_parameter"]);
    expect((await leave(owner, workspace)).status).toBe(200);
    expect(codeOf(await leave(viewer, workspace))).toEqual(denied);
    expect(await rolesIn(viewer, workspace)).toEqual(["admin", "developer", "billing", "owner"]);
  });

  test("404 member_not_found: an unknown id, one of another workspace and a text that is none look the same", async () => {
    const { workspace, owner } = await gateway.team();
    const stranger = await gateway.person();
    const replies = [];
    for (const id of [stranger.userId, `usr_${"0".repeat(32)}`, "usr_1", "acc_1", "nobody"])
      replies.push(await change(owner, workspace, id, "viewer"), await remove(owner, workspace, id));
    expect(replies.map(codeOf)).toEqual(replies.map(() => [404, "member_not_found"]));
    expect(new Set(replies.map(({ json }) => json.error.message)).size).toBe(1);
  });
});

describe("removing", () => {
  const made = async (who: Person, workspace: string) =>
    (await gateway.ask(who, "POST", "/v1/auth/keys", { in: workspace, body: { name: "k" } })).json;
  const works = async (url: string, key: string) => (await checkedRequest(url, "GET", "/v1/auth/limits", { key })).status;
  const soon = { interval: 20 };

  test("disables the member's keys everywhere within a second, and those alone; sends a mail; leaves what is the person's own", async () => {
    const { workspace, owner, developer } = await gateway.team();
    const [theirs, kept] = [await made(developer, workspace), await made(owner, workspace)];
    for (const url of [gateway.url, replica.url]) expect(await works(url, theirs.api_key)).toBe(200);
    const before = gateway.mails.length;
    const { status, json } = await remove(owner, workspace, developer.userId);
    expect([status, json]).toEqual([200, { removed: true, id: developer.userId, keys_disabled: 1 }]);
    for (const url of [gateway.url, replica.url]) await expect.poll(() => works(url, theirs.api_key), soon).toBe(401);
    expect(await works(replica.url, kept.api_key)).toBe(200);
    expect(await works(replica.url, developer.key)).toBe(200);
    expect(codeOf(await gateway.ask(developer, "GET", "/v1/workspace", { in: workspace }))).toEqual(denied);
    expect((await gateway.ask(developer, "GET", "/v1/workspaces")).json.data).toHaveLength(1);
    expect(gateway.mails.slice(before)).toMatchObject([{ to: developer.email, subject: expect.stringContaining("no longer a member") }]);
    const record = (await gateway.ask(owner, "GET", "/v1/auth/keys", { in: workspace })).json.data.find(({ id }: any) => id === theirs.id);
    expect(record).toMatchObject({ enabled: false, created_by: developer.userId });
  });

  test("keys=keep: they go on working", async () => {
    const { workspace, owner, developer } = await gateway.team();
    const key = await made(developer, workspace);
    expect((await remove(owner, workspace, developer.userId, "?keys=keep")).json.keys_disabled).toBe(0);
    expect(await works(gateway.url, key.api_key)).toBe(200);
    expect(codeOf(await remove(owner, workspace, developer.userId, "?keys=burn"))).toEqual([400, "invalid_parameter"]);
  });

  test("a key that is made at the same moment does not outlive its maker", async () => {
    const { workspace, owner, developer } = await gateway.team();
    const [, ...keys] = await Promise.all([
      remove(owner, workspace, developer.userId),
      ...Array.from({ length: 10 }, () => gateway.ask(developer, "POST", "/v1/auth/keys", { in: workspace, body: { name: "late" } })),
    ]);
    for (const { status, json } of keys) if (status === 200) await expect.poll(() => works(gateway.url, json.api_key), soon).toBe(401);
  });
});

describe("at the same time", () => {
  test("two owners who leave at once leave one", async () => {
    for (let round = 0; round < 5; round++) {
      const { workspace, owner, viewer } = await gateway.team();
      await change(owner, workspace, viewer.userId, "owner");
      const left = await Promise.all([leave(owner, workspace), leave(viewer, workspace)]);
      expect(left.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });

  test("two owners who lower or remove each other at once leave one", async () => {
    for (const act of [remove, (who: Person, workspace: string, id: string) => change(who, workspace, id, "viewer")]) {
      const { workspace, owner, viewer } = await gateway.team();
      await change(owner, workspace, viewer.userId, "owner");
      const done = await Promise.all([act(owner, workspace, viewer.userId), act(viewer, workspace, owner.userId)]);
      expect(done.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });
});

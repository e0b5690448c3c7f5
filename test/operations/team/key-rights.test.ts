// Rights over a workspace's keys that change while a request runs, the rights of keys themselves, and secrets of people who leave.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import type { Role } from "../../../src/accounts/caller.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import type { TestReply } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog });
});
afterAll(() => gateway.stop());

const denied = [403, "permission_denied"];
const soon = { interval: 20 };
const create = async (who: Person, workspace: string, name = "k") =>
  (await gateway.ask(who, "POST", "/v1/auth/keys", { in: workspace, body: { name } })).json;
const roll = async (who: Person, workspace: string, id: string, grace_seconds = 0) =>
  (await gateway.ask(who, "POST", `/v1/auth/keys/${id}/roll`, { in: workspace, body: { grace_seconds } })).json;
const remove = async (who: Person, workspace: string, member: Person, query = "") =>
  (await gateway.ask(who, "DELETE", `/v1/workspace/members/${member.userId}${query}`, { in: workspace })).json;
const listBy = (key: string) => gateway.request("GET", "/v1/auth/keys", { key });
const works = async (key: string) => (await gateway.request("GET", "/v1/auth/limits", { key })).status === 200;
/** All that can be seen of a key, its secrets included. */
const stored = async (id: string) =>
  (
    await gateway.context.db.pool.query("select k.*, b.limit_amount from api_key k join key_budget b on b.key_id = k.id where k.id = $1", [
      id.slice(4),
    ])
  ).rows[0];

const setRole = "update member set role = $3 where account_id = $1 and person_id = $2";
const setRemoved = "delete from member where account_id = $1 and person_id = $2 and $3::text is null";

/** Sends a request that gets as far as the workspace's lock, and changes the sender's role before it goes on; role null: removes. */
async function whileWaiting(accountId: bigint, who: Person, role: Role | null, send: () => Promise<TestReply>): Promise<TestReply> {
  const { db } = gateway.context;
  const sent = await inTransaction(db, async ({ pool }) => {
    await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
    const reply = send();
    await untilWaiting(db, "from account where id");
    await pool.query(role === null ? setRemoved : setRole, [accountId, who.accountId, role]);
    return { reply };
  });
  return sent.reply;
}

describe("a request in flight does not outlive its sender's right", () => {
  const actions: [string, string, (id: string) => string, object | undefined][] = [
    ["creating", "POST", () => "", { name: "late" }],
    ["changing", "PATCH", (id) => `/${id}`, { limit_usd: 1000, name: "late" }],
    ["deleting", "DELETE", (id) => `/${id}`, undefined],
    ["rolling", "POST", (id) => `/${id}/roll`, { grace_seconds: 0 }],
  ];
  describe.each(actions)("%s a key", (_, method, path, body) => {
    test.each<["admin" | "developer", Role | null]>([
      ["admin", null],
      ["admin", "viewer"],
      ["admin", "billing"],
      ["developer", null],
      ["developer", "viewer"],
    ])("403 permission_denied: the sender was %s and becomes %s meanwhile, and nothing changes", async (from, to) => {
      const team = await gateway.team();
      const { workspace, accountId } = team;
      const { id } = await create(team[from], workspace);
      const before = await stored(id);
      const reply = await whileWaiting(accountId, team[from], to, () =>
        gateway.ask(team[from], method, `/v1/auth/keys${path(id)}`, { in: workspace, body }),
      );
      expect(codeOf(reply)).toEqual(denied);
      expect(await stored(id)).toEqual(before);
      expect((await gateway.ask(team.owner, "GET", "/v1/auth/keys", { in: workspace })).json.data).toHaveLength(1);
    });
  });

  test.each(actions.slice(1))(
    "400 not_found: %s another's key as an admin who becomes developer meanwhile",
    async (_, method, path, body) => {
      const { workspace, accountId, owner, admin } = await gateway.team();
      const { id } = await create(owner, workspace);
      const before = await stored(id);
      const reply = await whileWaiting(accountId, admin, "developer", () =>
        gateway.ask(admin, method, `/v1/auth/keys${path(id)}`, { in: workspace, body }),
      );
      expect(codeOf(reply)).toEqual([400, "not_found"]);
      expect(await stored(id)).toEqual(before);
    },
  );
});

describe("a key sees what its maker may see now", () => {
  const usageBy = (key: string, id: string) => gateway.request("GET", `/v1/auth/keys/${id}/usage`, { key });
  const idsBy = async (key: string) => (await listBy(key)).json.data.map(({ id }: { id: string }) => id);

  test("a developer's key sees the developer's keys, an owner's all", async () => {
    const { workspace, owner, developer } = await gateway.team();
    const [theirs, mine] = [await create(owner, workspace), await create(developer, workspace)];
    expect(await idsBy(mine.api_key)).toEqual([mine.id]);
    expect((await usageBy(mine.api_key, mine.id)).status).toBe(200);
    for (const text of [theirs.id, encodeURIComponent(theirs.masked)])
      expect(codeOf(await usageBy(mine.api_key, text))).toEqual([400, "not_found"]);
    expect(await idsBy(theirs.api_key)).toEqual([mine.id, theirs.id]);
    expect((await usageBy(theirs.api_key, mine.id)).status).toBe(200);
  });

  test("a role that was lowered, raised or taken counts from the next request on", async () => {
    const { workspace, owner, admin } = await gateway.team();
    const [theirs, mine] = [await create(owner, workspace), await create(admin, workspace)];
    const become = (role: string) =>
      gateway.ask(owner, "PATCH", `/v1/workspace/members/${admin.userId}`, { in: workspace, body: { role } });
    expect(await idsBy(mine.api_key)).toHaveLength(2);
    await become("developer");
    expect(await idsBy(mine.api_key)).toEqual([mine.id]);
    await become("viewer");
    expect(await idsBy(mine.api_key)).toEqual([mine.id, theirs.id]);
    await become("billing");
    for (const reply of [await listBy(mine.api_key), await usageBy(mine.api_key, mine.id)]) expect(codeOf(reply)).toEqual(denied);
    await remove(owner, workspace, admin, "?keys=keep");
    for (const reply of [await listBy(mine.api_key), await usageBy(mine.api_key, theirs.id)]) expect(codeOf(reply)).toEqual(denied);
  });

  test("in the own workspace of a person every key sees all", async () => {
    const ada = await gateway.person();
    const made = (await gateway.ask(ada, "POST", "/v1/auth/keys", { body: { name: "second" } })).json;
    for (const key of [ada.key, made.api_key]) expect(await idsBy(key)).toHaveLength(2);
  });
});

describe("removing a member who saw a secret", () => {
  test("disables a key that another made and the leaver rolled", async () => {
    const { workspace, owner, admin } = await gateway.team();
    const { id } = await create(owner, workspace);
    const { api_key } = await roll(admin, workspace, id);
    expect(await works(api_key)).toBe(true);
    expect(await remove(owner, workspace, admin)).toMatchObject({ keys_disabled: 1 });
    await expect.poll(() => works(api_key), soon).toBe(false);
  });

  test("ends the secret of before that the leaver rolled, and leaves the key that another rolled since", async () => {
    const { workspace, owner, admin } = await gateway.team();
    const { id, api_key: first } = await create(owner, workspace);
    const { api_key: second } = await roll(admin, workspace, id, 600);
    const { api_key: third } = await roll(owner, workspace, id, 600);
    expect([await works(first), await works(second), await works(third)]).toEqual([false, true, true]);
    expect(await remove(owner, workspace, admin)).toMatchObject({ keys_disabled: 0 });
    await expect.poll(() => works(second), soon).toBe(false);
    expect(await works(third)).toBe(true);
    const [record] = (await gateway.ask(owner, "GET", "/v1/auth/keys", { in: workspace })).json.data;
    expect(record).toMatchObject({ id, enabled: true, previous_secret_until: null });
  });

  test("keys=keep leaves both secrets", async () => {
    const { workspace, owner, admin } = await gateway.team();
    const { id, api_key: first } = await create(admin, workspace);
    const { api_key: second } = await roll(owner, workspace, id, 600);
    await remove(owner, workspace, admin, "?keys=keep");
    expect([await works(first), await works(second)]).toEqual([true, true]);
  });
});

test("a suspension is of one workspace: the keys that its person made in others go on, and the person's sessions do nothing anywhere", async () => {
  const { workspace, admin } = await gateway.team();
  const { api_key, id } = await create(admin, workspace);
  await setSuspended(gateway.context.db, admin.accountId, new Date());
  await expect.poll(async () => codeOf(await listBy(admin.key)), soon).toEqual(denied);
  expect((await listBy(api_key)).status).toBe(200);
  for (const [method, path, body] of [
    ["GET", "/v1/auth/keys", undefined],
    ["POST", "/v1/auth/keys", { name: "x" }],
    ["PATCH", `/v1/auth/keys/${id}`, { name: "x" }],
    ["GET", "/v1/workspace/members", undefined],
    ["POST", "/v1/workspaces", { name: "x" }],
  ] as const)
    for (const place of [workspace, undefined]) expect(codeOf(await gateway.ask(admin, method, path, { in: place, body }))).toEqual(denied);
});

// Workspaces over HTTP: making, listing, renaming, choosing one by X-Workspace-Id, and what each role may do with every operation.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, operations } from "../../../generated/operations.ts";
import { roles } from "../../../src/accounts/caller.ts";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { codeOf, type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
let team: Team;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog });
  team = await gateway.team();
});
afterAll(() => gateway.stop());

const list = async (who: Person): Promise<any[]> => (await gateway.ask(who, "GET", "/v1/workspaces")).json.data;
const denied = [403, "permission_denied"];

describe("a person alone", () => {
  test("owns one workspace, the account itself", async () => {
    const ada = await gateway.person();
    const own = await list(ada);
    expect(own).toMatchObject([{ object: "workspace", role: "owner", personal: true, name: ada.email }]);
    expect((await gateway.ask(ada, "GET", "/v1/workspace")).json).toEqual(own[0]);
    expect((await gateway.ask(ada, "GET", "/v1/workspace", { in: own[0].id })).json).toEqual(own[0]);
    expect((await gateway.ask(ada, "GET", "/v1/workspace/members")).json).toMatchObject({
      data: [{ id: ada.userId, role: "owner", email: ada.email }],
      has_more: false,
      last_id: ada.userId,
    });
    expect(own[0].id.slice(3)).toBe(ada.userId.slice(4));
  });

  test("names the own workspace without a new name of the person", async () => {
    const ada = await gateway.person();
    expect((await gateway.ask(ada, "PATCH", "/v1/workspace", { body: { name: "Home" } })).json).toMatchObject({
      name: "Home",
      personal: true,
    });
    expect((await gateway.ask(ada, "GET", "/v1/auth/session")).json.user).toMatchObject({ id: ada.userId, name: null });
  });

  test("neither leaves it nor is less than its owner", async () => {
    const ada = await gateway.person();
    const grace = await gateway.person();
    await gateway.join(ada.accountId, grace, "owner");
    const [own] = await list(ada);
    expect(codeOf(await gateway.ask(ada, "POST", "/v1/workspace/leave"))).toEqual(denied);
    const path = `/v1/workspace/members/${ada.userId}`;
    expect(codeOf(await gateway.ask(grace, "DELETE", path, { in: own.id }))).toEqual(denied);
    expect(codeOf(await gateway.ask(grace, "PATCH", path, { in: own.id, body: { role: "viewer" } }))).toEqual(denied);
    expect((await gateway.ask(ada, "GET", "/v1/workspace/members")).json.data).toHaveLength(2);
  });
});

describe("POST /v1/workspaces", () => {
  test("makes one without keys, money or sign-up credit, of which the person is owner", async () => {
    const ada = await gateway.person();
    const { workspace } = await gateway.createWorkspace(ada);
    expect(await list(ada)).toMatchObject([{ personal: true }, { id: workspace, role: "owner", personal: false }]);
    expect((await gateway.ask(ada, "GET", "/v1/auth/keys", { in: workspace })).json.data).toEqual([]);
    expect((await gateway.ask(ada, "GET", "/v1/credits/balance", { in: workspace })).json).toMatchObject({
      balance: 0,
      lifetime_earned: 0,
    });
  });

  test("20 at most, however many are asked for at once", async () => {
    const ada = await gateway.person();
    const replies = await Promise.all(
      Array.from({ length: 24 }, () => gateway.ask(ada, "POST", "/v1/workspaces", { body: { name: "One more" } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(replies.filter(({ status }) => status !== 200).map(codeOf)).toEqual(Array.from({ length: 4 }, () => denied));
    expect(await list(ada)).toHaveLength(21);
  });

  test("403 email_unverified", async () => {
    const account = await gateway.createAccount({ verified: false });
    const { token } = await gateway.createSession(account);
    expect(codeOf(await gateway.request("POST", "/v1/workspaces", { key: token, body: { name: "x" } }))).toEqual([403, "email_unverified"]);
  });

  test.each(["", " ", "x".repeat(101), 5])("400 for the name %j", async (name) => {
    for (const reply of [
      await gateway.ask(team.owner, "POST", "/v1/workspaces", { body: { name } }),
      await gateway.ask(team.owner, "PATCH", "/v1/workspace", { in: team.workspace, body: { name } }),
    ])
      expect(codeOf(reply)).toEqual([400, "invalid_parameter"]);
  });
});

describe("PATCH /v1/workspace", () => {
  test("403 permission_denied: a gateway without a secret stores no responses; what is absent stays", async () => {
    const change = (body: object) => gateway.ask(team.owner, "PATCH", "/v1/workspace", { in: team.workspace, body });
    expect(codeOf(await change({ response_retention_days: 30 }))).toEqual(denied);
    const before = (await gateway.ask(team.owner, "GET", "/v1/workspace", { in: team.workspace })).json;
    for (const body of [{}, { response_retention_days: null }]) expect((await change(body)).json).toEqual(before);
  });
});

describe("X-Workspace-Id", () => {
  test("chooses keys, money and usage; an API key takes no notice of it", async () => {
    const { workspace, accountId, owner } = await gateway.team();
    await postEntry(gateway.context.db, { accountId, kind: "deposit", amount: parseUsd("7")!, ref: "test", at: new Date() });
    const made = await gateway.ask(owner, "POST", "/v1/auth/keys", { in: workspace, body: { name: "team" } });
    expect(made.json).toMatchObject({ name: "team", is_default: true });
    expect((await gateway.ask(owner, "GET", "/v1/credits/balance", { in: workspace })).json.balance).toBe(7);
    expect((await gateway.ask(owner, "GET", "/v1/credits/balance")).json.balance).toBe(0);
    const headers = { "x-workspace-id": (await list(owner))[0].id };
    expect((await gateway.request("GET", "/v1/credits/balance", { key: made.json.api_key, headers })).json.balance).toBe(7);
    expect(
      (await gateway.request("GET", "/v1/credits/balance", { key: owner.key, headers: { "x-workspace-id": workspace } })).json.balance,
    ).toBe(0);
    const own = (await gateway.ask(owner, "GET", "/v1/auth/keys")).json.data;
    expect(own.map(({ id }: any) => id)).not.toContain(made.json.id);
  });

  test("is worth nothing for what is about the person", async () => {
    const stranger = await gateway.person();
    expect((await gateway.ask(stranger, "GET", "/v1/auth/session", { in: team.workspace })).json.user.id).toBe(stranger.userId);
    expect((await gateway.ask(stranger, "GET", "/v1/workspaces", { in: team.workspace })).json.data).toHaveLength(1);
  });

  test.each(["ws_00000000000000000000000000000000", "ws_1", "acc_1", "x".repeat(5000), "1", "null"])("%s is no workspace", async (id) => {
    const stranger = await gateway.person();
    const [unknown, foreign] = [
      await gateway.ask(stranger, "GET", "/v1/workspace", { in: id }),
      await gateway.ask(stranger, "GET", "/v1/workspace", { in: team.workspace }),
    ];
    expect(codeOf(unknown)).toEqual(denied);
    expect(unknown.json.error.message).toBe(foreign.json.error.message);
  });

  test("a suspended workspace, and a suspended person, are refused", async () => {
    const { workspace, accountId, owner } = await gateway.team();
    const { db } = gateway.context;
    await setSuspended(db, accountId, new Date());
    expect(codeOf(await gateway.ask(owner, "GET", "/v1/workspace", { in: workspace }))).toEqual(denied);
    expect((await gateway.ask(owner, "GET", "/v1/workspace")).status).toBe(200);
    await setSuspended(db, accountId, null);
    await setSuspended(db, owner.accountId, new Date());
    expect(codeOf(await gateway.ask(owner, "GET", "/v1/workspace", { in: workspace }))).toEqual(denied);
  });
});

describe("roles", () => {
  const sessionOperations = Object.values(operations).filter(({ auth }) => auth === "session" || auth === "key_or_session");
  const inWorkspace = sessionOperations.filter(({ roles: named }) => named !== undefined);
  /** Right enough to pass the schema; what they name doesn't exist, so that nothing changes. */
  const bodies: Partial<Record<Operation["id"], object>> = { updateMember: { role: "viewer" } };
  const probe = (who: Person, { id, method, path }: Operation, workspace: string) =>
    gateway.ask(who, method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "none"), {
      in: workspace,
      ...(method === "get" || method === "delete" ? {} : { body: bodies[id] ?? {} }),
    });
  const leaves: Operation["id"][] = ["leaveWorkspace"];

  test.each(inWorkspace.filter(({ id }) => !leaves.includes(id)).map((one) => [one.id, one] as const))(
    "%s: the named roles pass the edge, others and strangers don't",
    async (_, operation) => {
      for (const role of roles) {
        const reply = await probe(team[role], operation, team.workspace);
        const isRefused = reply.status === 403 && String(reply.json.error.message).includes("your role in this workspace is");
        expect([role, isRefused]).toEqual([role, !operation.roles!.includes(role)]);
      }
      const stranger = await gateway.person();
      const reply = await probe(stranger, operation, team.workspace);
      expect(codeOf(reply)).toEqual(denied);
      expect(reply.json.error.message).toContain("not a member");
    },
  );

  test("a viewer changes nothing: no changing operation names it but leaving", () => {
    const changing = inWorkspace.filter(({ method, roles: named }) => method !== "get" && named!.includes("viewer"));
    expect(changing.map(({ id }) => id)).toEqual(leaves);
  });
});

describe("keys", () => {
  const create = (who: Person, workspace: string, name = "k") =>
    gateway.ask(who, "POST", "/v1/auth/keys", { in: workspace, body: { name } });
  const keys = async (who: Person, workspace: string): Promise<any[]> =>
    (await gateway.ask(who, "GET", "/v1/auth/keys", { in: workspace })).json.data;

  test("say who made them; a developer sees and changes only own ones", async () => {
    const { workspace, owner, developer, viewer } = await gateway.team();
    const theirs = (await create(owner, workspace)).json;
    const mine = (await create(developer, workspace)).json;
    expect((await keys(developer, workspace)).map(({ id, created_by }) => [id, created_by])).toEqual([[mine.id, developer.userId]]);
    for (const who of [owner, viewer]) expect((await keys(who, workspace)).map(({ id }) => id)).toEqual([mine.id, theirs.id]);
    for (const text of [theirs.id, theirs.masked, theirs.api_key, "key_999999"]) {
      const path = `/v1/auth/keys/${encodeURIComponent(text)}`;
      expect(codeOf(await gateway.ask(developer, "PATCH", path, { in: workspace, body: { enabled: false } }))).toEqual([400, "not_found"]);
      expect(codeOf(await gateway.ask(developer, "DELETE", path, { in: workspace }))).toEqual([400, "not_found"]);
    }
    expect((await gateway.ask(developer, "PATCH", `/v1/auth/keys/${mine.id}`, { in: workspace, body: { name: "new" } })).json.name).toBe(
      "new",
    );
    expect((await gateway.ask(owner, "PATCH", `/v1/auth/keys/${mine.id}`, { in: workspace, body: { enabled: false } })).json.enabled).toBe(
      false,
    );
  });

  test("a developer who deletes the default learns of no other's key, and owns the one that replaces the last", async () => {
    const { workspace, owner, developer } = await gateway.team();
    const first = (await create(developer, workspace)).json;
    const theirs = (await create(owner, workspace)).json;
    const deleted = await gateway.ask(developer, "DELETE", `/v1/auth/keys/${first.id}`, { in: workspace });
    expect(deleted.json).toEqual({ deleted: true, id: first.id, new_default: null });
    expect((await gateway.ask(owner, "DELETE", `/v1/auth/keys/${theirs.id}`, { in: workspace })).json.new_default_key).toMatch(/^svc_/);
    expect(await keys(owner, workspace)).toMatchObject([{ is_default: true, created_by: owner.userId }]);
  });

  test("keys that came with the account have no creator, and those of a person are not another's to see", async () => {
    const ada = await gateway.person();
    expect((await gateway.ask(ada, "GET", "/v1/auth/keys")).json.data).toMatchObject([{ created_by: null }]);
  });
});

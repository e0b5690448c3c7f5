// Groups of an identity provider that are roles in workspaces: at each sign-in the memberships that came from groups follow the claim.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followGroups, unknownWorkspaces } from "../../../src/accounts/group-members.ts";
import { joinedMax, membersMax } from "../../../src/accounts/members.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import { startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";

const idOf = (n: number) => `ws_00000000000040008000${String(n).padStart(12, "0")}`;
const [blue, red, nowhere] = [idOf(1), idOf(2), idOf(9)];
const rules = { devs: `${blue}:developer`, leads: `${blue}:admin`, "red team": `${red}:viewer`, lost: `${nowhere}:viewer` };

let provider: OpenidProvider;
let gateway: TeamGateway;
const logLines: string[] = [];
let accounts: { blue: bigint; red: bigint };
beforeAll(async () => {
  provider = await startOpenidProvider();
  const idp = (name: string, more: Record<string, string> = {}) => ({
    [`SVC_SIGNIN_${name}_CLIENT_ID`]: clientId,
    [`SVC_SIGNIN_${name}_CLIENT_SECRET`]: clientSecret,
    [`SVC_SIGNIN_${name}_ISSUER`]: provider.issuer,
    ...more,
  });
  const written = Object.entries(rules).map((rule) => rule.join("=")).join(","); // prettier-ignore
  const scoped = { SVC_SIGNIN_IDP_GROUPS: written, SVC_SIGNIN_IDP_SCOPE: "groups" };
  gateway = await startTeamGateway({ logLines, env: { ...idp("IDP", scoped), ...idp("PLAIN") } });
  const owner = await gateway.person();
  const made = async (id: string) => {
    const { accountId } = await gateway.createWorkspace(owner);
    await query("update account set user_id = $2 where id = $1", [accountId, id.slice(3)]);
    return accountId;
  };
  accounts = { blue: await made(blue), red: await made(red) };
});
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
  await provider.close();
});

const query = (sql: string, values: unknown[]) => gateway.context.db.pool.query(sql, values);
let people = 0;
const newPerson = () => `person-${people++}`;

/** With an identity token that says so of the groups. Returns the session. */
async function signIn(login: string, claims: Record<string, unknown> = {}, name = "idp"): Promise<string> {
  const { json } = await gateway.request("POST", `/v1/auth/signin/${name}/start`, { body: { redirect_uri: redirectUri } });
  const nowSec = Math.floor(Date.now() / 1000);
  const sound = { iss: provider.issuer, aud: clientId, sub: login, iat: nowSec, exp: nowSec + 300, nonce: json.nonce };
  const token = provider.token({ ...sound, email: `${login}@example.com`, email_verified: true, ...claims });
  const reply = await gateway.request("POST", `/v1/auth/signin/${name}`, { body: { id_token: token, state: json.state } });
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  return reply.json.session_token as string;
}

/** As the person sees them, beside the own one. */
async function joined(session: string): Promise<Record<string, string>> {
  const { json } = await gateway.request("GET", "/v1/workspaces", { key: session });
  const others = (json.data as { id: string; role: string; personal: boolean }[]).filter(({ personal }) => !personal);
  return Object.fromEntries(others.map(({ id, role }) => [id, role]));
}

const groups = async (login: string, ...names: string[]) => joined(await signIn(login, { groups: names }));
const accountOf = async (login: string) =>
  (await query("select id from account where email_norm = $1", [`${login}@example.com`])).rows[0].id as bigint;

describe("memberships follow the groups", () => {
  test("made, changed and removed; of two groups of a workspace the stronger role counts; an unknown workspace is passed over", async () => {
    const login = newPerson();
    expect(await groups(login, "devs", "others")).toEqual({ [blue]: "developer" });
    expect(await groups(login, "devs", "leads", "red team", "lost")).toEqual({ [blue]: "admin", [red]: "viewer" });
    expect(await groups(login, "red team")).toEqual({ [red]: "viewer" });
    expect(await groups(login)).toEqual({});
  });

  test("a code brings them, too: from the user information, for which the scope asks", async () => {
    const login = newPerson();
    const byCode = async (of: unknown) => {
      provider.users.set(login, { email: `${login}@example.com`, email_verified: true, groups: of });
      const { json } = await gateway.request("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri } });
      expect(new URL(json.authorization_url).searchParams.get("scope")).toBe("openid email groups");
      const code = (await provider.signIn(json.authorization_url, login)).get("code")!;
      const reply = await gateway.request("POST", "/v1/auth/signin/idp", { body: { code, state: json.state } });
      expect(reply.status).toBe(200);
      return joined(reply.json.session_token as string);
    };
    expect(await byCode(["devs"])).toEqual({ [blue]: "developer" });
    expect(await byCode([...Array.from({ length: 50_000 }, (_, n) => `group ${n}`), "red team"])).toEqual({ [red]: "viewer" });
    expect(await byCode([])).toEqual({});
  });

  test("with the membership the person's keys of the workspace end", async () => {
    const login = newPerson();
    const session = await signIn(login, { groups: ["leads"] });
    const made = await gateway.request("POST", "/v1/auth/keys", {
      key: session,
      body: { name: "mine" },
      headers: { "x-workspace-id": blue },
    });
    const balance = async () => (await gateway.request("GET", "/v1/credits/balance", { key: made.json.api_key })).status;
    expect([made.status, await balance()]).toEqual([200, 200]);
    await groups(login);
    await expect.poll(balance).not.toBe(200);
    const old = await gateway.request("GET", "/v1/workspace/members", { key: session, headers: { "x-workspace-id": blue } });
    expect(old.status).toBe(403);
  });

  test("many sign-ins at once, of opposite groups: the person is in what one of them says, and in nothing else", async () => {
    const login = newPerson();
    await groups(login);
    const both = [["devs"], ["red team"]];
    await Promise.all(Array.from({ length: 8 }, (_, n) => signIn(login, { groups: both[n % 2] })));
    expect([{ [blue]: "developer" }, { [red]: "viewer" }]).toContainEqual(await joined(await signIn(login, {}, "plain")));
  });
});

describe("what groups do not touch", () => {
  test("a membership by invitation stays as it is, whether the groups name its workspace or not", async () => {
    const login = newPerson();
    await groups(login);
    const personId = await accountOf(login);
    await query("insert into member (account_id, person_id, role, created_at) values ($1, $2, 'billing', now())", [
      accounts.blue,
      personId,
    ]);
    expect(await groups(login, "leads", "red team")).toEqual({ [blue]: "billing", [red]: "viewer" });
    expect(await groups(login)).toEqual({ [blue]: "billing" });
  });

  test("an owner: whoever was made one stays it", async () => {
    const login = newPerson();
    await groups(login, "devs");
    await query("update member set role = 'owner' where account_id = $1 and person_id = $2", [accounts.blue, await accountOf(login)]);
    expect(await groups(login, "devs")).toEqual({ [blue]: "owner" });
    expect(await groups(login)).toEqual({ [blue]: "owner" });
    await query("delete from member where person_id = $1", [await accountOf(login)]);
  });

  test("a person's own workspace, which the groups of others may name", async () => {
    const login = newPerson();
    await groups(login);
    const personId = await accountOf(login);
    const roles = new Map([[idOf(7), "viewer" as const]]);
    await query("update account set user_id = $2 where id = $1", [personId, idOf(7).slice(3)]);
    const follow = { personId, provider: "idp", roles, at: new Date() };
    expect(await inTransaction(gateway.context.db, (transaction) => followGroups(transaction, follow))).toMatchObject({ added: [] });
  });

  test("a sign-in by a provider whose groups give no roles", async () => {
    const login = newPerson();
    await groups(login, "devs");
    expect(await joined(await signIn(login, { groups: ["red team"] }, "plain"))).toEqual({ [blue]: "developer" });
  });

  test("where the provider says that there are too many groups to list, memberships stay", async () => {
    const login = newPerson();
    await groups(login, "devs");
    expect(await joined(await signIn(login, { _claim_names: { groups: "src1" } }))).toEqual({ [blue]: "developer" });
  });
});

describe("a claim of another form gives nothing, takes what groups gave, and signs in anyway", () => {
  test.each<[string, unknown, Record<string, string>]>([
    ["none", undefined, {}],
    ["null", null, {}],
    ["a number", 7, {}],
    ["an object", { devs: true, length: 1, 0: "devs" }, {}],
    ["a list in a list", [["devs"]], {}],
    ["no texts", [1, null, { devs: 1 }, ["devs"], true], {}],
    ["texts among others", [1, null, "red team", {}], { [red]: "viewer" }],
    ["one text", "devs", { [blue]: "developer" }],
    ["hundreds", [...Array.from({ length: 500 }, (_, n) => `group ${n}`), "devs"], { [blue]: "developer" }],
    ["names of every object", ["__proto__", "constructor", "toString"], {}],
  ])("%s", async (_, claim, expected) => {
    const login = newPerson();
    await groups(login, "leads");
    expect(await joined(await signIn(login, claim === undefined ? {} : { groups: claim }))).toEqual(expected);
  });
});

test("who has no room for more is signed in without: the person's bound, and the workspace's", async () => {
  const login = newPerson();
  await groups(login);
  const personId = await accountOf(login);
  const follow = () =>
    inTransaction(gateway.context.db, (transaction) =>
      followGroups(transaction, { personId, provider: "idp", roles: new Map([[red, "viewer"]]), at: new Date() }),
    );
  await query(
    `with made as (insert into account (email, workspace_name) select 'full@example.com', 'Full ' || n from generate_series(1, $2::int) n returning id)
     insert into member (account_id, person_id, role, created_at) select id, $1::bigint, 'viewer', now() from made`,
    [personId, joinedMax],
  );
  expect(await follow()).toEqual({ added: [], changed: [], removed: [], full: [red] });
  await query("delete from member where person_id = $1", [personId]);
  await query(
    `with made as (insert into account (email, email_norm) select m, m from (select 'crowd' || n || '@example.com' as m from generate_series(1, $2::int) n) c returning id)
     insert into member (account_id, person_id, role, created_at) select $1::bigint, id, 'viewer', now() from made`,
    [accounts.red, membersMax],
  );
  expect(await follow()).toEqual({ added: [], changed: [], removed: [], full: [red] });
  expect(await groups(login, "red team", "devs")).toEqual({ [blue]: "developer" });
});

test("at its start a gateway logs which of the workspaces do not exist, and starts anyway", async () => {
  await expect
    .poll(() => logLines.filter((line) => line.includes("name workspaces that do not exist")))
    .toEqual([expect.stringContaining(`"workspaces":["${blue}","${red}","${nowhere}"]`)]); // the first two were made later
  expect(await unknownWorkspaces(gateway.context.db, [blue, nowhere, red, nowhere])).toEqual([nowhere]);
});

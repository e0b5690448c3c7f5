// DELETE /v1/account and GET /v1/account/export over HTTP: access ends at once, the person is forgotten, the books stay; the export holds all of it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../src/db/connect.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { untilWaiting } from "../../support/locks.ts";
import { type Person, type SignInGateway, password, startSignInGateway } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway({ SVC_SIGNUP_CREDIT: "0.5", SVC_OPERATORS: "operator@example.com" })));
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});

const minute = 60_000;
const remove = (token: string, query = "?forfeit_balance=true") => gateway.request("DELETE", `/v1/account${query}`, { key: token });
const codeOf = (reply: { status: number; json: any }) => [reply.status, reply.json?.error?.code];
const blocked = [409, "account_not_deletable"];
const works = async (token: string) => (await gateway.request("GET", "/v1/auth/session", { key: token })).status;
const join = (accountId: bigint, { id }: Person, role: string) =>
  gateway.rows("insert into member (account_id, person_id, role, created_at) values ($1, $2, $3, now())", [accountId, id, role]);
async function workspaceOf({ token }: Person): Promise<{ workspace: string; id: bigint }> {
  const { json } = await gateway.request("POST", "/v1/workspaces", { key: token, body: { name: `Team ${Math.random()}` } });
  const [{ id }] = (await gateway.rows("select id from account where workspace_name = $1", [json.name])) as [{ id: bigint }];
  return { workspace: json.id, id };
}

describe("DELETE /v1/account", () => {
  test("sessions and keys end, a mail says so; address, name and password are gone from every table, the ledger stays", async () => {
    const person = await gateway.verifiedPerson();
    await gateway.rows("insert into identity (issuer, subject, account_id, created_at) values ('i', $2, $1, now())", [
      person.id,
      person.email,
    ]);
    const second = (await gateway.signIn(person.email)).json.session_token as string;
    const { status, json, headers } = await remove(person.token);
    expect([status, json]).toEqual([200, { id: person.user["id"], deleted: true, forfeited_usd: 0.5 }]);
    expect(headers["set-cookie"]).toMatch(/^__Host-svc_session=;/);
    expect([await works(person.token), await works(second)]).toEqual([401, 401]);
    await expect.poll(async () => (await gateway.request("GET", "/v1/credits/balance", { key: person.key })).status).toBe(401);
    expect((await gateway.mailTo(person.email)).subject).toBe("Your account was deleted");
    for (const table of ["account", "verification", "identity", "signup_mailbox", "invitation", "session", "known_network"])
      expect(await gateway.rows(`select 1 from ${table} t where t::text ilike '%' || $1 || '%'`, [person.email])).toEqual([]);
    const [account] = await gateway.rows("select email, name, password_hash, deleted_at from account where id = $1", [person.id]);
    expect(account).toMatchObject({ email: expect.stringMatching(/^[0-9a-f]{32}@deleted\.invalid$/), name: null, password_hash: null });
    expect(await gateway.rows("select kind from ledger_entry where account_id = $1", [person.id])).toEqual([{ kind: "signup_credit" }]);
  });

  test("a saved card is in the export, and once the account is deleted it is no longer charged, and the payment provider has to forget it", async () => {
    const person = await gateway.verifiedPerson();
    await gateway.rows(
      `insert into auto_topup (account_id, enabled, threshold, amount, monthly_cap, consent_version, consent_at, consent_by, customer_id, card_id, card)
       values ($1, true, 1, 2, 3, '1', now(), $1, 'cus_1', 'pm_1', '{"brand": "visa", "last4": "4242"}')`,
      [person.id],
    );
    const { text } = await gateway.request("GET", "/v1/account/export", { key: person.token });
    expect(text).toContain('"record":"auto_topup","enabled":true,"card":{"brand":"visa","last4":"4242"}');
    expect(text).not.toContain("pm_1");
    expect((await remove(person.token)).status).toBe(200);
    expect(await gateway.rows("select enabled, card_id, card, forget_cards from auto_topup where account_id = $1", [person.id])).toEqual([
      { enabled: false, card_id: null, card: null, forget_cards: ["pm_1"] },
    ]);
  });

  test("its notices and webhooks are gone, and what a shared workspace sent to the address", async () => {
    const [owner, person] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    const { id: shared } = await workspaceOf(owner);
    await join(shared, person, "admin");
    const body = { url: "https://example.com/hook" };
    expect((await gateway.request("POST", "/v1/workspace/webhooks", { key: person.token, body })).status).toBe(200);
    for (const id of [person.id, shared])
      await gateway.rows(
        `with n as (insert into notice (account_id, id, event, cause, data, created_at, planned_at)
           values ($1, gen_random_uuid(), 'key.expiring', 'a test', '{}', now(), now()) returning id)
         insert into notice_delivery (account_id, id, notice_id, address, created_at, due_at)
         select $1, gen_random_uuid(), n.id, a, now(), now() + interval '1 day' from n, unnest($2::text[]) a`,
        [id, [person.email, owner.email]],
      );
    expect((await remove(person.token)).status).toBe(200);
    for (const table of ["notice", "notice_delivery", "webhook_endpoint"])
      expect(await gateway.rows(`select 1 from ${table} where account_id = $1`, [person.id])).toEqual([]);
    const left = await gateway.rows("select address from notice_delivery where account_id = $1", [shared]);
    expect(left).toEqual([{ address: owner.email }]);
  });

  test("the address is free again, without a second signup credit; the old password opens nothing", async () => {
    const person = await gateway.verifiedPerson();
    expect((await remove(person.token)).status).toBe(200);
    expect(codeOf(await gateway.signIn(person.email))).toEqual([401, "invalid_credentials"]);
    const { json } = await gateway.signUpVerified(person.email);
    expect(json.credit_granted_usd).toBe(0);
    expect(json.user.id).not.toBe(person.user["id"]);
  });

  test("403 confirmation_required 15 minutes after signing in; with the password again it works", async () => {
    const person = await gateway.verifiedPerson();
    gateway.pass(15 * minute);
    expect(codeOf(await remove(person.token))).toEqual([403, "confirmation_required"]);
    expect((await gateway.request("POST", "/v1/auth/session/confirm", { key: person.token, body: { password } })).status).toBe(200);
    expect((await remove(person.token)).status).toBe(200);
  });

  test("409 account_not_deletable while money is left and its loss is not accepted; nothing is changed", async () => {
    const person = await gateway.verifiedPerson();
    for (const query of ["", "?forfeit_balance=false"]) {
      const reply = await remove(person.token, query);
      expect(codeOf(reply)).toEqual(blocked);
      expect(reply.json.error.message).toContain("0.5 USD would be lost");
    }
    expect(codeOf(await remove(person.token, "?forfeit_balance=x"))).toEqual([400, "invalid_parameter"]);
    expect([await works(person.token), (await gateway.signIn(person.email)).status]).toEqual([200, 200]);
  });

  test("409: the last owner of a workspace with others hands over first; then the person's keys there are disabled, others' stay", async () => {
    const [owner, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    const { workspace, id } = await workspaceOf(owner);
    await join(id, other, "admin");
    const keyOf = async (who: Person) =>
      (await gateway.request("POST", "/v1/auth/keys", { key: who.token, headers: { "x-workspace-id": workspace }, body: { name: "k" } }))
        .json.api_key as string;
    const [mine, theirs] = [await keyOf(owner), await keyOf(other)];
    expect(codeOf(await remove(owner.token))).toEqual(blocked);
    await gateway.rows("update member set role = 'owner' where account_id = $1 and person_id = $2", [id, other.id]);
    expect((await remove(owner.token)).status).toBe(200);
    const status = async (key: string) => (await gateway.request("GET", "/v1/credits/balance", { key })).status;
    await expect.poll(() => status(mine)).toBe(401);
    expect(await status(theirs)).toBe(200);
    expect(await gateway.rows("select 1 from member where person_id = $1", [owner.id])).toEqual([]);
  });

  test("a workspace that the person is alone in is closed as well, and its money counts to what is lost", async () => {
    const person = await gateway.verifiedPerson();
    const { workspace, id } = await workspaceOf(person);
    await postEntry(gateway.context.db, { accountId: id, kind: "deposit", amount: 200_000_000n, ref: "test", at: new Date() });
    const made = await gateway.request("POST", "/v1/auth/keys", {
      ...{ key: person.token, headers: { "x-workspace-id": workspace }, body: { name: "k" } },
    });
    expect((await remove(person.token)).json.forfeited_usd).toBe(2.5);
    await expect.poll(async () => (await gateway.request("GET", "/v1/credits/balance", { key: made.json.api_key })).status).toBe(401);
    const [row] = await gateway.rows("select deleted_at is not null as deleted from account where id = $1", [id]);
    expect(row).toEqual({ deleted: true });
  });

  test("409: others are members of the person's own workspace, whose money and keys would end with it", async () => {
    const [owner, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    await join(owner.id, other, "billing");
    expect(codeOf(await remove(owner.token))).toEqual(blocked);
    await gateway.rows("delete from member where account_id = $1", [owner.id]);
    expect((await remove(owner.token)).status).toBe(200);
  });

  test("409: a payment is under way; once it has expired the account can go", async () => {
    const person = await gateway.verifiedPerson();
    await gateway.rows(
      "insert into topup (id, account_id, amount, status, created_at) values (gen_random_uuid(), $1, 500000000, 'pending', now())",
      [person.id],
    );
    expect(codeOf(await remove(person.token))).toEqual(blocked);
    await gateway.rows("update topup set status = 'expired', completed_at = now() where account_id = $1", [person.id]);
    expect((await remove(person.token)).status).toBe(200);
  });

  test("workspaces that the person created keep neither the address nor, where they end, the name", async () => {
    const [person, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    const [alone, shared] = [await workspaceOf(person), await workspaceOf(person)];
    await join(shared.id, other, "owner");
    expect((await remove(person.token)).status).toBe(200);
    const rows = await gateway.rows("select email, workspace_name from account where id = any($1) order by id", [[alone.id, shared.id]]);
    expect(rows).toEqual([
      { email: expect.stringMatching(/@deleted\.invalid$/), workspace_name: "deleted" },
      { email: other.email, workspace_name: expect.stringMatching(/^Team /) },
    ]);
  });

  test("one who joins while the account is deleted is never left in a workspace that is closed", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [person, joiner] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
      const { workspace, id } = await workspaceOf(person);
      const headers = { "x-workspace-id": workspace };
      const body = { email: joiner.email, role: "viewer" };
      await gateway.request("POST", "/v1/workspace/invitations", { key: person.token, headers, body });
      const mail = await gateway.mailTo(joiner.email);
      const [, token] = /#token=(\S+)/.exec(mail.text)!;
      const [accepted, removed] = await Promise.all([
        gateway.request("POST", "/v1/invitations/accept", { key: joiner.token, body: { token } }),
        remove(person.token),
      ]);
      const [row] = await gateway.rows("select deleted_at is not null as closed from account where id = $1", [id]);
      expect([accepted.status === 200, row]).toEqual([removed.status === 409, { closed: removed.status === 200 }]);
    }
  });

  test("401 invalid_api_key: what waits until the account is deleted is refused, and leaves nothing there", async () => {
    const { db } = gateway.context;
    const person = await gateway.verifiedPerson();
    const asked = [
      ["POST", "/v1/auth/keys", { name: "k" }],
      ["POST", "/v1/workspaces", { name: "A workspace of nobody" }],
      ["PATCH", "/v1/workspace", { name: "A new name" }],
      ["POST", "/v1/workspace/webhooks", { url: "https://example.com/hook" }],
      ["PATCH", "/v1/workspace/notices", { low_balance_usd: 7 }],
      ["POST", "/v1/workspace/domains", { domain: "example.net" }],
      ["POST", "/v1/workspace/invitations", { email: gateway.newEmail(), role: "viewer" }],
    ] as const;
    const replies = await inTransaction(db, async ({ pool }) => {
      await pool.query("select 1 from account where id = $1 for no key update", [person.id]);
      const removed = remove(person.token);
      await untilWaiting(db, "from member where person_id");
      const later = asked.map(([method, path, body]) => gateway.request(method, path, { key: person.token, body }));
      await untilWaiting(db, "from account", 1 + asked.length);
      return [removed, ...later];
    });
    const [removed, ...later] = await Promise.all(replies);
    expect(removed!.status).toBe(200);
    expect(later.map(codeOf)).toEqual(asked.map(() => [401, "invalid_api_key"]));
    for (const table of ["webhook_endpoint", "workspace_domain", "notice_preference"])
      expect(await gateway.rows(`select 1 from ${table} where account_id = $1`, [person.id])).toEqual([]);
    expect(await gateway.rows("select 1 from invitation where account_id = $1 and ended_at is null", [person.id])).toEqual([]);
    expect(await gateway.rows("select 1 from api_key where account_id = $1 and deleted_at is null", [person.id])).toEqual([]);
    expect(await gateway.rows("select 1 from member where person_id = $1", [person.id])).toEqual([]);
    expect(await gateway.rows("select workspace_name from account where id = $1", [person.id])).toEqual([{ workspace_name: null }]);
  });

  test("409: an operator is removed as operator first", async () => {
    await gateway.signUp("operator@example.com");
    const { token } = /token=(?<token>[\w-]+)/.exec((await gateway.mailTo("operator@example.com")).text)!.groups as { token: string };
    const { json } = await gateway.post("/v1/auth/verify", { token });
    expect(codeOf(await remove(json.session_token))).toEqual(blocked);
  });

  test("many at once delete it once", async () => {
    const person = await gateway.verifiedPerson();
    const replies = await Promise.all(Array.from({ length: 5 }, () => remove(person.token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  test("403 session_required with an API key", async () => {
    const { key } = await gateway.verifiedPerson();
    expect(codeOf(await remove(key))).toEqual([403, "session_required"]);
    expect(codeOf(await gateway.request("GET", "/v1/account/export", { key }))).toEqual([403, "session_required"]);
  });
});

describe("GET /v1/account/export", () => {
  const read = (token: string) => gateway.request("GET", "/v1/account/export", { key: token });
  const linesOf = (text: string) => text.trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, any>); // prettier-ignore

  test("all records of the person, over several pages, with an end; no secret, and nothing of other people", async () => {
    const [person, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    for (let n = 0; n < 600; n += 1)
      await postEntry(gateway.context.db, { accountId: person.id, kind: "bonus", amount: 1n, ref: `t${n}`, at: new Date() });
    await workspaceOf(person);
    const { status, text, headers } = await read(person.token);
    expect([status, headers["content-type"]]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    const lines = linesOf(text);
    const of = (record: string) => lines.filter((line) => line["record"] === record);
    expect(of("profile")).toMatchObject([{ email: person.email, id: person.user["id"] }]);
    expect(of("ledger_entry")).toHaveLength(601);
    expect(new Set(of("ledger_entry").map(({ id }) => id as string)).size).toBe(601);
    expect([of("session").length, of("api_key").length, of("membership").length]).toEqual([1, 1, 1]);
    expect(lines.at(-1)!["record"]).toBe("end");
    for (const secret of [person.token, person.key, other.email, "argon2"]) expect(text).not.toContain(secret);
  });

  test("what is set up in the own workspace: its name, invitations, notices and webhooks, without their secrets", async () => {
    const { token } = await gateway.verifiedPerson();
    const ask = async (method: string, path: string, body: object) => {
      const { status, json } = await gateway.request(method, path, { key: token, body });
      expect([status, json.error]).toEqual([200, undefined]);
      return json;
    };
    await ask("PATCH", "/v1/workspace", { name: "Ada's" });
    const friend = gateway.newEmail();
    await ask("POST", "/v1/workspace/invitations", { email: friend, role: "viewer" });
    await ask("PATCH", "/v1/workspace/notices", { low_balance_usd: 7 });
    const hook = { url: "https://example.com/hook", description: "for the tests", events: ["balance.low"] };
    const { id, secret } = await ask("POST", "/v1/workspace/webhooks", hook);
    const { text } = await read(token);
    expect(text).not.toContain(secret);
    expect(linesOf(text)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ record: "profile", workspace_name: "Ada's", response_retention_days: null, second_factor_at: null }),
        expect.objectContaining({ record: "invitation", email: friend, role: "viewer" }),
        expect.objectContaining({ record: "notice_settings", low_balance_usd: 7 }),
        expect.objectContaining({ record: "webhook", id, ...hook, enabled: true }),
      ]),
    );
  });

  test("429 above two a minute", async () => {
    const { token } = await gateway.verifiedPerson();
    for (let n = 0; n < 2; n += 1) expect((await read(token)).status).toBe(200);
    expect(codeOf(await read(token))).toEqual([429, "rate_limit_exceeded"]);
  });
});

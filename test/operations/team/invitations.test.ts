// Invitations over HTTP: making, listing, sending again, revoking and accepting; by everyone who may not, and many at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestOf } from "../../../src/accounts/keys.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { codeOf, type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";
import { tokenIn } from "../../support/sign-in.ts";

let gateway: TeamGateway;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog });
});
afterAll(() => gateway.stop());

const base = "/v1/workspace/invitations";
const denied = [403, "permission_denied"];
const unknownToken = [400, "invalid_token"];
const unknown = [404, "invitation_not_found"];
const invite = (who: Person, workspace: string, email: string, role = "developer") =>
  gateway.ask(who, "POST", base, { in: workspace, body: { email, role } });
const resend = (who: Person, workspace: string, id: string) => gateway.ask(who, "POST", `${base}/${id}/resend`, { in: workspace });
const revoke = (who: Person, workspace: string, id: string) => gateway.ask(who, "DELETE", `${base}/${id}`, { in: workspace });
const accept = (who: Person, token: string) => gateway.ask(who, "POST", "/v1/invitations/accept", { body: { token } });
const list = async (who: Person, workspace: string): Promise<any[]> => (await gateway.ask(who, "GET", base, { in: workspace })).json.data;
const mailsTo = (email: string) => gateway.mails.filter(({ to }) => to === email);
const lastToken = (email: string) => tokenIn(mailsTo(email).at(-1)!);
const workspaces = async (who: Person): Promise<any[]> => (await gateway.ask(who, "GET", "/v1/workspaces")).json.data;
const run = (sql: string, values: unknown[]) => gateway.context.db.pool.query(sql, values);

/** A person whose invitation waits. */
async function invited(team: Team, role = "developer", by: Person = team.owner): Promise<{ who: Person; id: string; token: string }> {
  const who = await gateway.person();
  const { status, json } = await invite(by, team.workspace, who.email, role);
  expect(status).toBe(200);
  return { who, id: json.id, token: lastToken(who.email) };
}

describe("inviting and accepting", () => {
  test("a mail leads to the console; accepting it gives the role, once; nothing but a hash of the token is stored", async () => {
    const team = await gateway.team();
    const who = await gateway.person();
    const { json } = await invite(team.admin, team.workspace, who.email, "billing");
    expect(json).toMatchObject({
      object: "workspace.invitation",
      email: who.email,
      role: "billing",
      status: "pending",
      invited_by: team.admin.userId,
    });
    expect(new Date(json.expires_at).getTime() - new Date(json.created_at).getTime()).toBe(7 * 24 * 60 * 60 * 1000);
    expect(await list(team.owner, team.workspace)).toEqual([json]);
    const [mail] = mailsTo(who.email);
    expect(mail!.text).toContain(`${gateway.context.publicUrl}/console/invitations#token=svcm_`);
    for (const part of [team.admin.email, "Team ", "as billing"]) expect(mail!.text).toContain(part);
    const { rows } = await run("select i::text as row, hash from invitation i where email = $1", [who.email]);
    expect(rows[0].row).not.toContain(lastToken(who.email));
    expect(rows[0].hash).toEqual(digestOf(lastToken(who.email)));
    const joined = await accept(who, lastToken(who.email));
    expect([joined.status, joined.json]).toMatchObject([200, { id: team.workspace, role: "billing", personal: false }]);
    expect(await workspaces(who)).toMatchObject([{ personal: true }, { id: team.workspace, role: "billing" }]);
    expect(await list(team.owner, team.workspace)).toEqual([]);
    expect(codeOf(await accept(who, lastToken(who.email)))).toEqual(unknownToken);
  });

  test("an address in another case is the same person", async () => {
    const team = await gateway.team();
    const who = await gateway.person();
    const email = who.email.toUpperCase();
    expect((await invite(team.owner, team.workspace, email)).status).toBe(200);
    expect((await accept(who, lastToken(email))).status).toBe(200);
  });

  test("accepted ten times at once, it makes one member", async () => {
    const team = await gateway.team();
    const { who, token } = await invited(team);
    const replies = await Promise.all(Array.from({ length: 10 }, () => accept(who, token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
    expect((await workspaces(who)).filter(({ id }) => id === team.workspace)).toHaveLength(1);
  });

  test("accepted and revoked at once, one of them counts", async () => {
    const team = await gateway.team();
    for (let round = 0; round < 5; round++) {
      const { who, id, token } = await invited(team);
      const [joined, revoked] = await Promise.all([accept(who, token), revoke(team.owner, team.workspace, id)]);
      expect([joined.status, revoked.status].sort()).toEqual(joined.status === 200 ? [200, 404] : [200, 400]);
      expect(await workspaces(who)).toHaveLength(joined.status === 200 ? 2 : 1);
    }
  });

  test("two people who accept each other's invitations at once don't wait for each other", async () => {
    for (let round = 0; round < 3; round++) {
      const [ada, grace] = [await gateway.person(), await gateway.person()];
      const own = async (who: Person) => (await workspaces(who))[0].id as string;
      await invite(ada, await own(ada), grace.email, "admin");
      await invite(grace, await own(grace), ada.email, "admin");
      const replies = await Promise.all([accept(ada, lastToken(ada.email)), accept(grace, lastToken(grace.email))]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});

describe("400 invalid_token, the same for each", () => {
  test("another person's, an unknown, an expired, a revoked, a replaced one, and one of another kind; no one joins", async () => {
    const team = await gateway.team();
    const stranger = await gateway.person();
    const foreign = await invited(team);
    const expired = await invited(team);
    await run("update invitation set expires_at = now() where hash = $1", [digestOf(expired.token)]);
    const revoked = await invited(team);
    await revoke(team.owner, team.workspace, revoked.id);
    const replaced = await invited(team);
    await resend(team.owner, team.workspace, replaced.id);
    const replies = [
      await accept(stranger, foreign.token),
      await accept(stranger, `svcm_${"x".repeat(43)}`),
      await accept(stranger, "nonsense"),
      await accept(stranger, stranger.session),
      await accept(expired.who, expired.token),
      await accept(revoked.who, revoked.token),
      await accept(replaced.who, replaced.token),
    ];
    expect(replies.map(codeOf)).toEqual(replies.map(() => unknownToken));
    expect(new Set(replies.map(({ json }) => json.error.message)).size).toBe(1);
    for (const { who } of [expired, revoked, replaced]) expect(await workspaces(who)).toHaveLength(1);
    expect(await workspaces(stranger)).toHaveLength(1);
    expect((await accept(foreign.who, foreign.token)).status).toBe(200);
    expect((await accept(replaced.who, lastToken(replaced.who.email))).status).toBe(200);
  });

  test("the inviter was removed, or may no longer give that role", async () => {
    const team = await gateway.team();
    const { workspace, owner, admin, viewer } = team;
    const become = (role: string) =>
      gateway.ask(owner, "PATCH", `/v1/workspace/members/${admin.userId}`, { in: workspace, body: { role } });
    await become("owner");
    const asOwner = await invited(team, "owner", admin);
    const asAdmin = await invited(team, "admin", admin);
    const later = await invited(team, "viewer", admin);
    await become("admin");
    expect(codeOf(await accept(asOwner.who, asOwner.token))).toEqual(unknownToken);
    expect((await accept(asAdmin.who, asAdmin.token)).status).toBe(200);
    await gateway.ask(owner, "DELETE", `/v1/workspace/members/${admin.userId}`, { in: workspace });
    expect(codeOf(await accept(later.who, later.token))).toEqual(unknownToken);
    // Sent again by somebody who may, it works.
    expect((await resend(owner, workspace, later.id)).status).toBe(200);
    expect((await accept(later.who, lastToken(later.who.email))).json).toMatchObject({ id: workspace, role: "viewer" });
    expect(codeOf(await invite(viewer, workspace, "x@example.com"))).toEqual(denied);
  });
});

test("403 email_unverified: who has not proved to own the address joins nothing", async () => {
  const team = await gateway.team();
  const account = await gateway.createAccount({ verified: false });
  await invite(team.owner, team.workspace, account.email);
  const { token } = await gateway.createSession(account);
  const reply = await gateway.request("POST", "/v1/invitations/accept", { key: token, body: { token: lastToken(account.email) } });
  expect(codeOf(reply)).toEqual([403, "email_unverified"]);
});

test("who is a member already keeps the role, and the invitation is over", async () => {
  const team = await gateway.team();
  const { who, token } = await invited(team, "viewer");
  await gateway.join(team.accountId, who, "admin");
  expect((await accept(who, token)).json).toMatchObject({ role: "admin" });
  expect(await list(team.owner, team.workspace)).toEqual([]);
});

describe("who may invite", () => {
  test("403: an admin makes, replaces, sends and revokes no owner's invitation", async () => {
    const team = await gateway.team();
    const { workspace, owner, admin } = team;
    const { who, id } = await invited(team, "owner");
    const before = mailsTo(who.email).length;
    for (const reply of [
      await invite(admin, workspace, "new@example.com", "owner"),
      await invite(admin, workspace, who.email, "viewer"),
      await resend(admin, workspace, id),
      await revoke(admin, workspace, id),
    ])
      expect(codeOf(reply)).toEqual(denied);
    expect(mailsTo(who.email)).toHaveLength(before);
    expect(await list(owner, workspace)).toMatchObject([{ id, role: "owner" }]);
  });

  test("403: developers, billing and viewers neither see nor change invitations; strangers nothing", async () => {
    const team = await gateway.team();
    const { id } = await invited(team);
    for (const who of [team.developer, team.billing, team.viewer, await gateway.person()])
      for (const reply of [
        await gateway.ask(who, "GET", base, { in: team.workspace }),
        await invite(who, team.workspace, "x@example.com", "viewer"),
        await resend(who, team.workspace, id),
        await revoke(who, team.workspace, id),
      ])
        expect(codeOf(reply)).toEqual(denied);
  });

  test("404 invitation_not_found: unknown, accepted, revoked and another workspace's look the same", async () => {
    const [team, other] = [await gateway.team(), await gateway.team()];
    const { id: foreign } = await invited(other);
    const used = await invited(team);
    await accept(used.who, used.token);
    const gone = await invited(team);
    await revoke(team.owner, team.workspace, gone.id);
    const replies = [];
    for (const id of [foreign, used.id, gone.id, `inv_${"0".repeat(32)}`, "inv_1", "x"])
      replies.push(await resend(team.owner, team.workspace, id), await revoke(team.owner, team.workspace, id));
    expect(replies.map(codeOf)).toEqual(replies.map(() => unknown));
    expect(new Set(replies.map(({ json }) => json.error.message)).size).toBe(1);
    expect(await list(other.owner, other.workspace)).toHaveLength(1);
  });

  test("400 invalid_parameter: no address, no role of ours", async () => {
    const { workspace, owner } = await gateway.team();
    for (const body of [
      { email: "nobody", role: "viewer" },
      { email: "a@localhost", role: "viewer" },
      { email: "a@example.com", role: "king" },
    ])
      expect(codeOf(await gateway.ask(owner, "POST", base, { in: workspace, body }))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await accept(owner, "x".repeat(201)))).toEqual([400, "invalid_parameter"]);
  });
});

describe("bounds", () => {
  test("an address that waits already gets a new link and role, not a second invitation; also when asked at once", async () => {
    const team = await gateway.team();
    const { who, id, token } = await invited(team, "viewer");
    const replies = await Promise.all(["developer", "admin"].map((role) => invite(team.owner, team.workspace, who.email, role)));
    expect(replies.map(({ status, json }) => [status, json.id])).toEqual(replies.map(() => [200, id]));
    expect(await list(team.owner, team.workspace)).toHaveLength(1);
    expect(codeOf(await accept(who, token))).toEqual(unknownToken);
  });

  test("403: a member's address, the inviter's own, and a person's own workspace's", async () => {
    const { workspace, owner, viewer } = await gateway.team();
    for (const { email } of [owner, viewer]) expect(codeOf(await invite(owner, workspace, email))).toEqual(denied);
    expect(codeOf(await gateway.ask(owner, "POST", base, { body: { email: owner.email, role: "viewer" } }))).toEqual(denied);
  });

  test("10 mails a day to one address, of all workspaces together, however many are asked for at once", async () => {
    const [one, two] = [await gateway.team(), await gateway.team()];
    const { email } = await gateway.person();
    const replies = await Promise.all(
      Array.from({ length: 14 }, (_, n) =>
        n % 2 === 0 ? invite(one.owner, one.workspace, email) : invite(two.owner, two.workspace, email),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status !== 200).map(codeOf)).toEqual(Array(4).fill(denied));
    expect(mailsTo(email)).toHaveLength(10);
    await run("update invitation set sent_at = sent_at - interval '1 day' where email = $1", [email]);
    expect((await invite(one.owner, one.workspace, email)).status).toBe(200);
  });

  test("100 invitations and 200 mails a day of a workspace", async () => {
    const { workspace, accountId, owner } = await gateway.team();
    const fill = (count: number, sentAgo: string) =>
      run(
        `insert into invitation (id, account_id, email, email_norm, role, hash, invited_by, created_at, sent_at, expires_at)
         select gen_random_uuid(), $1::bigint, e, e, 'viewer', sha256((e || $1::bigint::text)::bytea), $2, now(), now() - $4::interval, now()
         from (select 'filler' || n || '@example.com' as e from generate_series(1, $3::int) n) f`,
        [accountId, owner.accountId, count, sentAgo],
      );
    await fill(99, "1 day");
    expect((await invite(owner, workspace, "last@example.com")).status).toBe(200);
    expect(codeOf(await invite(owner, workspace, "more@example.com"))).toEqual(denied);
    await run("update invitation set sent = 3, sent_at = now(), ended_at = now(), outcome = 'revoked' where account_id = $1", [accountId]);
    expect(codeOf(await invite(owner, workspace, "more@example.com"))).toEqual(denied);
    expect(mailsTo("more@example.com")).toEqual([]);
  });

  test("an expired one is shown as such, and works again when it is sent again", async () => {
    const team = await gateway.team();
    const { who, id } = await invited(team);
    await run("update invitation set expires_at = now() where email = $1", [who.email]);
    expect(await list(team.owner, team.workspace)).toMatchObject([{ id, status: "expired" }]);
    expect((await resend(team.owner, team.workspace, id)).json).toMatchObject({ id, status: "pending" });
    expect((await accept(who, lastToken(who.email))).status).toBe(200);
  });

  test("a workspace has 1000 members at most", async () => {
    const team = await gateway.team();
    const { who, token } = await invited(team);
    await run(
      `with made as (insert into account (email, email_norm, created_at)
         select e, e, now() from (select 'crowd' || n || '-' || $1 || '@example.com' as e from generate_series(1, 995) n) f returning id)
       insert into member (account_id, person_id, role, created_at) select $1::bigint, id, 'viewer', now() from made`,
      [String(team.accountId)],
    );
    expect(codeOf(await accept(who, token))).toEqual(denied);
    expect(await list(team.owner, team.workspace)).toHaveLength(1);
  });
});

// Mail domains of a workspace over HTTP: claimed, proved by a TXT record at a name server on this machine, and joined by signing in.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinByDomain } from "../../../src/accounts/group-members.ts";
import { membersMax } from "../../../src/accounts/members.ts";
import { readNameServers } from "../../../src/text/domain-list.ts";
import { type NameServer, startNameServer } from "../../support/name-server.ts";
import { clientId, clientSecret, type OpenidProvider, startOpenidProvider } from "../../support/openid-provider.ts";
import { password, tokenIn } from "../../support/sign-in.ts";
import { type Newcomers, newcomersOf } from "./newcomers.ts";
import { codeOf, type Person, startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

const base = "/v1/workspace/domains";
const denied = [403, "permission_denied"];
const unknown = [404, "domain_not_found"];

let names: NameServer;
let provider: OpenidProvider;
let gateway: TeamGateway;
let post: Newcomers["post"], signUp: Newcomers["signUp"], signIn: Newcomers["signIn"];
let signInOutside: Newcomers["signInOutside"], joined: Newcomers["joined"];
beforeAll(async () => {
  [names, provider] = [await startNameServer(), await startOpenidProvider()];
  gateway = await startTeamGateway({
    env: {
      ...{ SVC_DNS_SERVERS: names.address, SVC_TRUSTED_PROXIES: "1", SVC_DISPOSABLE_DOMAINS: "throw.example" },
      ...{ SVC_SIGNIN_IDP_CLIENT_ID: clientId, SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret, SVC_SIGNIN_IDP_ISSUER: provider.issuer },
    },
  });
  ({ post, signUp, signIn, signInOutside, joined } = newcomersOf(gateway, provider));
});
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
  await provider.close();
  names.close();
});

const run = async (sql: string, values: unknown[]) => (await gateway.context.db.pool.query(sql, values)).rows;
let used = 0;
const newDomain = () => `team-${++used}.example`;
const newAddress = (domain: string) => `person-${++used}@${domain}`;
const claim = (who: Person, workspace: string, domain: string, role?: string) =>
  gateway.ask(who, "POST", base, { in: workspace, body: { domain, ...(role === undefined ? {} : { role }) } });
const verify = (who: Person, workspace: string, id: string) => gateway.ask(who, "POST", `${base}/${id}/verify`, { in: workspace });
const change = (who: Person, workspace: string, id: string, role: string) =>
  gateway.ask(who, "PATCH", `${base}/${id}`, { in: workspace, body: { role } });
const remove = (who: Person, workspace: string, id: string) => gateway.ask(who, "DELETE", `${base}/${id}`, { in: workspace });
const list = async (who: Person, workspace: string): Promise<any[]> => (await gateway.ask(who, "GET", base, { in: workspace })).json.data;
const publish = ({ record_name, record_value }: { record_name: string; record_value: string }, ...others: string[]) =>
  names.records.set(record_name, [...others, record_value]);

/** A workspace with a domain that is verified. */
async function verified(role?: string): Promise<Team & { domain: string; id: string }> {
  const team = await gateway.team();
  const domain = newDomain();
  const { json } = await claim(team.owner, team.workspace, domain, role);
  publish(json);
  expect((await verify(team.owner, team.workspace, json.id)).json).toMatchObject({ domain, status: "verified" });
  return { ...team, domain, id: json.id };
}

const memberOf = async (team: Team, email: string): Promise<any> =>
  (await gateway.ask(team.owner, "GET", "/v1/workspace/members", { in: team.workspace })).json.data.find((one: any) => one.email === email);

describe("claiming and verifying", () => {
  test("a claim gives the record; once it is published the domain is verified, and may be again", async () => {
    const team = await gateway.team();
    const domain = newDomain();
    const { status, json } = await claim(team.admin, team.workspace, domain.toUpperCase());
    expect([status, json]).toEqual([
      200,
      {
        ...{ id: expect.stringMatching(/^dom_[0-9a-f]{32}$/), object: "workspace.domain", domain, role: "developer", status: "pending" },
        ...{ record_name: `_svc-verify.${domain}`, record_value: expect.stringMatching(/^svc-verify=[\w-]{32}$/) },
        ...{ created_at: json.created_at, verified_at: null },
      },
    ]);
    expect(codeOf(await verify(team.owner, team.workspace, json.id))).toEqual([409, "domain_unverified"]);
    expect(await list(team.owner, team.workspace)).toEqual([json]);
    publish(json, "v=spf1 -all", "x".repeat(300));
    for (const _ of [1, 2])
      expect(await verify(team.owner, team.workspace, json.id)).toMatchObject({ status: 200, json: { status: "verified" } });
    expect(names.asked).toContain(json.record_name);
    expect(await list(team.admin, team.workspace)).toMatchObject([{ id: json.id, status: "verified" }]);
  });

  test("409 domain_unverified: no record, another workspace's, or name servers that say nothing; a verified domain stays so", async () => {
    const [one, other] = [await gateway.team(), await gateway.team()];
    const domain = newDomain();
    const [mine, theirs] = [(await claim(one.owner, one.workspace, domain)).json, (await claim(other.owner, other.workspace, domain)).json];
    expect(mine.record_value).not.toBe(theirs.record_value);
    publish(theirs);
    const foreign = await verify(one.owner, one.workspace, mine.id);
    expect([codeOf(foreign), foreign.json.error.message]).toEqual([[409, "domain_unverified"], expect.stringContaining("something else")]);
    expect((await verify(other.owner, other.workspace, theirs.id)).status).toBe(200);
    names.silent.add(mine.record_name);
    const mute = await verify(other.owner, other.workspace, theirs.id);
    expect([codeOf(mute), mute.json.error.message]).toEqual([[409, "domain_unverified"], expect.stringContaining("did not answer")]);
    expect(await list(other.owner, other.workspace)).toMatchObject([{ status: "verified" }]);
  });

  test("409 domain_taken: who has proved a domain learns that another workspace has it; of two at once one gets it", async () => {
    const [one, other] = [await gateway.team(), await gateway.team()];
    const domain = newDomain();
    const [mine, theirs] = [(await claim(one.owner, one.workspace, domain)).json, (await claim(other.owner, other.workspace, domain)).json];
    names.records.set(mine.record_name, [mine.record_value, theirs.record_value]);
    const replies = await Promise.all([verify(one.owner, one.workspace, mine.id), verify(other.owner, other.workspace, theirs.id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(codeOf(replies.find(({ status }) => status === 409)!)).toEqual([409, "domain_taken"]);
    const [winner, loser] = replies[0].status === 200 ? [one, other] : [other, one];
    const [won, lost] = winner === one ? [mine, theirs] : [theirs, mine];
    expect((await remove(winner.owner, winner.workspace, won.id)).json).toEqual({ removed: true, id: won.id });
    expect((await verify(loser.owner, loser.workspace, lost.id)).status).toBe(200);
  });

  test("400 invalid_parameter: a public mail provider, a disposable email domain, and what is no domain", async () => {
    const { owner, workspace } = await gateway.team();
    for (const domain of [
      "gmail.com",
      "GMAIL.com",
      "mail.gmx.de",
      "throw.example",
      "example",
      "10.0.0.1",
      "a..b",
      "https://a.example",
      "a.example.",
    ])
      expect([domain, codeOf(await claim(owner, workspace, domain))]).toEqual([domain, [400, "invalid_parameter"]]);
    expect(codeOf(await claim(owner, workspace, newDomain(), "owner"))).toEqual([400, "invalid_parameter"]);
  });

  test("claimed again, it keeps its record and gets the new role; a workspace has 20", async () => {
    const { owner, workspace } = await gateway.team();
    const domain = newDomain();
    const first = (await claim(owner, workspace, domain)).json;
    expect((await claim(owner, workspace, domain, "viewer")).json).toEqual({ ...first, role: "viewer" });
    for (let n = 1; n < 20; n++) expect((await claim(owner, workspace, newDomain())).status).toBe(200);
    expect(codeOf(await claim(owner, workspace, newDomain()))).toEqual(denied);
    expect((await claim(owner, workspace, domain)).status).toBe(200);
  });

  test("429 rate_limit_exceeded: a person asks for 10 records a minute, whichever workspace it is", async () => {
    const team = await gateway.team();
    const elsewhere = await gateway.createWorkspace(team.owner);
    const { id } = (await claim(team.owner, team.workspace, newDomain())).json;
    const there = (await claim(team.owner, elsewhere.workspace, newDomain())).json;
    const codes: unknown[] = [];
    for (let n = 0; n < 21; n++) codes.push(codeOf(await verify(team.owner, team.workspace, id))[1]);
    expect(codes).toContain("rate_limit_exceeded");
    expect(codes.filter((code) => code === "domain_unverified").length).toBeLessThanOrEqual(20);
    expect(codeOf(await verify(team.owner, elsewhere.workspace, there.id))[1]).toBeOneOf(["rate_limit_exceeded", "domain_unverified"]);
  });

  test("only owners and admins; another workspace's domain looks unknown, and stays as it is", async () => {
    const [one, other] = [await verified(), await gateway.team()];
    for (const who of [one.developer, one.billing, one.viewer]) {
      const replies = [await claim(who, one.workspace, newDomain()), await verify(who, one.workspace, one.id)];
      replies.push(await change(who, one.workspace, one.id, "viewer"), await remove(who, one.workspace, one.id));
      replies.push(await gateway.ask(who, "GET", base, { in: one.workspace }));
      expect(replies.map(codeOf)).toEqual(Array(5).fill(denied));
    }
    for (const id of [one.id, `dom_${"0".repeat(32)}`, "dom_", "x"]) {
      const replies = [await verify(other.owner, other.workspace, id), await change(other.owner, other.workspace, id, "viewer")];
      replies.push(await remove(other.owner, other.workspace, id));
      expect(replies.map(codeOf)).toEqual(Array(3).fill(unknown));
    }
    expect(await list(one.owner, one.workspace)).toMatchObject([{ id: one.id, role: "developer", status: "verified" }]);
    expect(await list(other.owner, other.workspace)).toEqual([]);
  });
});

describe("joining", () => {
  test("by signing up, by password and by a provider, with the role of the domain then; others and domains below it do not", async () => {
    const team = await verified();
    const early = newAddress(team.domain);
    expect(await joined(await signUp(early))).toEqual({ [team.workspace]: "developer" });
    expect((await change(team.admin, team.workspace, team.id, "billing")).json).toMatchObject({ role: "billing", status: "verified" });
    expect(await joined(await signInOutside(newAddress(team.domain)))).toEqual({ [team.workspace]: "billing" });
    expect(await joined(await signIn(early))).toEqual({ [team.workspace]: "developer" });
    for (const domain of [`sub.${team.domain}`, `x${team.domain}`, newDomain()])
      expect(await joined(await signUp(newAddress(domain)))).toEqual({});
    const late = newAddress(team.domain.toUpperCase());
    expect(await joined(await signUp(late))).toEqual({ [team.workspace]: "billing" });
  });

  test("people of before the domain was verified join at the next sign-in; a claim alone and a removed domain bring nobody", async () => {
    const team = await gateway.team();
    const domain = newDomain();
    const [first, second] = [newAddress(domain), newAddress(domain)];
    await signUp(second);
    const { json } = await claim(team.owner, team.workspace, domain, "admin");
    expect(await joined(await signUp(first))).toEqual({});
    publish(json);
    await verify(team.owner, team.workspace, json.id);
    expect(await joined(await signIn(first))).toEqual({ [team.workspace]: "admin" });
    await remove(team.owner, team.workspace, json.id);
    expect(await joined(await signIn(second))).toEqual({});
    expect(await joined(await signIn(first))).toEqual({ [team.workspace]: "admin" });
  });

  test("who was removed or left does not come back by signing in, but by an invitation; a changed role stays", async () => {
    const team = await verified("viewer");
    const [removed, left, promoted] = [newAddress(team.domain), newAddress(team.domain), newAddress(team.domain)];
    for (const email of [removed, promoted]) await signUp(email);
    const at = async (email: string) => `/v1/workspace/members/${(await memberOf(team, email)).id}`;
    expect((await gateway.ask(team.owner, "DELETE", await at(removed), { in: team.workspace })).status).toBe(200);
    const leaving = { key: await signUp(left), headers: { "x-workspace-id": team.workspace } };
    expect((await gateway.request("POST", "/v1/workspace/leave", leaving)).status).toBe(200);
    await gateway.ask(team.owner, "PATCH", await at(promoted), { in: team.workspace, body: { role: "admin" } });
    for (const email of [removed, left]) expect(await joined(await signIn(email))).toEqual({});
    expect(await joined(await signIn(promoted))).toEqual({ [team.workspace]: "admin" });
    await gateway.ask(team.owner, "POST", "/v1/workspace/invitations", { in: team.workspace, body: { email: removed, role: "developer" } });
    const token = tokenIn(gateway.mails.findLast(({ to }) => to === removed)!);
    const back = await signIn(removed);
    expect((await gateway.request("POST", "/v1/invitations/accept", { key: back, body: { token } })).status).toBe(200);
    expect(await joined(back)).toEqual({ [team.workspace]: "developer" });
  });

  test("who was a member by invitation and was removed does not come in by a domain that is verified later", async () => {
    const team = await gateway.team();
    const domain = newDomain();
    const email = newAddress(domain);
    await signUp(email);
    const [{ id, user_id }] = await run("select id, user_id from account where email_norm = $1", [email]);
    await gateway.join(team.accountId, { accountId: id } as Person, "developer");
    const member = `usr_${user_id.replaceAll("-", "")}`;
    expect((await gateway.ask(team.admin, "DELETE", `/v1/workspace/members/${member}`, { in: team.workspace })).status).toBe(200);
    const { json } = await claim(team.owner, team.workspace, domain);
    publish(json);
    await verify(team.owner, team.workspace, json.id);
    expect(await joined(await signIn(email))).toEqual({});
  });

  test("an owner of the own workspace keeps it; an account whose address is not verified joins nothing", async () => {
    const domain = newDomain();
    const email = newAddress(domain);
    const session = await signUp(email);
    const { json } = await gateway.request("POST", base, { key: session, body: { domain } });
    publish(json);
    expect((await gateway.request("POST", `${base}/${json.id}/verify`, { key: session })).status).toBe(200);
    expect(await joined(await signIn(email))).toEqual({});
    const other = newAddress(domain);
    await post("/v1/auth/signup", { email: other, password });
    const [{ user_id }] = await run("select user_id from account where email_norm = $1", [other]);
    expect(await joinByDomain(gateway.context.db, `usr_${user_id.replaceAll("-", "")}`, new Date())).toBeNull();
  });

  test("many sign-ins of one person at once make one member; at once with the removal nobody is left in", async () => {
    const team = await verified();
    const email = newAddress(team.domain);
    await signUp(email);
    const { id } = await memberOf(team, email);
    const [person] = await run("select id from account where email_norm = $1", [email]);
    await run("delete from member where account_id = $1 and person_id = $2", [team.accountId, person.id]);
    const join = () => joinByDomain(gateway.context.db, id, new Date());
    const results = await Promise.all(Array.from({ length: 8 }, join));
    expect(results.filter((one) => one !== null)).toEqual([{ workspace: team.workspace, as: "developer" }]);
    const gone = gateway.ask(team.owner, "DELETE", `/v1/workspace/members/${id}`, { in: team.workspace });
    await Promise.all([gone, ...Array.from({ length: 8 }, join)]);
    await join();
    expect((await gone).status).toBe(200);
    expect(await memberOf(team, email)).toBeUndefined();
  });

  test(`a workspace of ${membersMax} members takes no more, and the sign-in works`, async () => {
    const team = await verified();
    const rest = membersMax - 4; // the team's
    await run(
      `with made as (insert into account (email, email_norm, created_at)
         select e, e, now() from (select 'full' || n || '-' || $1 || '@crowd.example' as e from generate_series(1, $3::int) n) f returning id)
       insert into member (account_id, person_id, role, created_at) select $2::bigint, id, 'viewer', now() from made`,
      [String(team.accountId), team.accountId, rest],
    );
    const email = newAddress(team.domain);
    expect(await joined(await signUp(email))).toEqual({});
    await run("delete from member where account_id = $1 and role = 'viewer'", [team.accountId]);
    expect(await joined(await signIn(email))).toEqual({ [team.workspace]: "developer" });
  });

  test("a deleted account and its workspaces leave neither domains nor who was a member", async () => {
    const domain = newDomain();
    const session = await signUp(newAddress(domain));
    const { json } = await gateway.request("POST", base, { key: session, body: { domain } });
    const exported = await gateway.request("GET", "/v1/account/export", { key: session });
    expect(exported.text).toContain(`"record":"domain","domain":"${domain}"`);
    await gateway.request("POST", "/v1/auth/session/confirm", { key: session, body: { password } });
    const { status } = await gateway.request("DELETE", "/v1/account?forfeit_balance=true", { key: session });
    expect([json.domain, status]).toEqual([domain, 200]);
    expect(await run("select 1 from workspace_domain where domain = $1", [domain])).toEqual([]);
  });
});

test("SVC_DNS_SERVERS is IP addresses, with ports or without", () => {
  expect(readNameServers(null, "S")).toEqual([]);
  expect(readNameServers("1.1.1.1, [2606:4700::1111]:53", "S")).toEqual(["1.1.1.1", "[2606:4700::1111]:53"]);
  for (const text of ["dns.example", "1.1.1.1,", "1.1.1.1:99999x"])
    expect(() => readNameServers(text, "S")).toThrow("S must be IP addresses");
});

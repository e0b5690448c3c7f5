// GET and DELETE /v1/auth/sessions over HTTP: what is shown of a session, whose they are, and that ended ones count nowhere.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { password, type Person, type SignInGateway, startSignInGateway } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const list = (token: string, query = "") => gateway.request("GET", `/v1/auth/sessions${query}`, { key: token });
const end = (token: string, id = "") => gateway.request("DELETE", `/v1/auth/sessions${id}`, { key: token });
const works = async (token: string) => (await gateway.request("GET", "/v1/auth/session", { key: token })).status;
const codeOf = (reply: { status: number; json: any }) => [reply.status, reply.json?.error?.code];

async function signIn({ email }: Person, userAgent: string, address: string): Promise<string> {
  const headers = { "user-agent": userAgent, "x-forwarded-for": address };
  const { status, json } = await gateway.request("POST", "/v1/auth/signin", { body: { email, password }, headers });
  expect(status).toBe(200);
  return json.session_token as string;
}
/** The id of the session of a token. */
const idOf = async (token: string): Promise<string> =>
  (await list(token, "?limit=100")).json.data.find(({ current }: { current: boolean }) => current).id;

describe("GET /v1/auth/sessions", () => {
  test("the person's open sessions, the newest first: where and when each was opened, when it was used; no token", async () => {
    const person = await gateway.verifiedPerson();
    gateway.pass(1000);
    const token = await signIn(person, "Laptop/1.0", "198.51.100.7");
    gateway.pass(1000);
    const phone = await signIn(person, `Phone/${"x".repeat(400)}`, "2001:db8:1:2:3::4");
    const { status, json, text } = await list(token);
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: "list", has_more: false });
    expect(json.data).toMatchObject([
      { address: expect.stringContaining("2001:db8:1:2"), user_agent: `Phone/${"x".repeat(294)}`, current: false },
      { address: "198.51.100.7", user_agent: "Laptop/1.0", current: true, object: "session" },
      { current: false },
    ]);
    for (const secret of [token, phone, person.token]) expect(text).not.toContain(secret.slice(5));
  });

  test("last used is noted at most once an hour; what has ended by itself is not shown", async () => {
    const person = await gateway.verifiedPerson();
    const used = async () => (await list(person.token)).json.data[0].last_used_at;
    const before = await used();
    gateway.pass(hour - 1);
    expect(await used()).toBe(before);
    gateway.pass(1);
    expect(Date.parse(await used())).toBe(Date.parse(before) + hour);
    gateway.pass(30 * day);
    const token = await signIn(person, "a", "198.51.100.8");
    expect((await list(token)).json.data).toHaveLength(1);
  });

  test("pages, also where sessions were opened in one millisecond", async () => {
    const person = await gateway.verifiedPerson();
    for (let n = 0; n < 4; n += 1) await signIn(person, `agent ${n}`, "198.51.100.9");
    const seen: string[] = [];
    let after = "";
    for (let page = await list(person.token, "?limit=2"); ; page = await list(person.token, `?limit=2${after}`)) {
      seen.push(...page.json.data.map(({ id }: { id: string }) => id));
      after = `&after=${page.json.last_id}`;
      if (!page.json.has_more) break;
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  test("400 invalid_parameter: a page can't follow another person's session", async () => {
    const [mine, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    for (const after of [await idOf(other.token), `ses_${randomUUID().replaceAll("-", "")}`, "x"])
      expect(codeOf(await list(mine.token, `?after=${after}`))).toEqual([400, "invalid_parameter"]);
  });

  test("403 session_required with an API key", async () => {
    const { key } = await gateway.verifiedPerson();
    expect(codeOf(await list(key))).toEqual([403, "session_required"]);
    expect(codeOf(await end(key))).toEqual([403, "session_required"]);
    expect(codeOf(await end(key, "/ses_1"))).toEqual([403, "session_required"]);
  });
});

describe("DELETE /v1/auth/sessions/{id}", () => {
  test("that session is over everywhere at once; a second time gives 404", async () => {
    const person = await gateway.verifiedPerson();
    const lost = await signIn(person, "Lost/1", "198.51.100.10");
    const id = await idOf(lost);
    expect((await end(person.token, `/${id}`)).json).toEqual({ id, ended: true });
    expect([await works(lost), await works(person.token)]).toEqual([401, 200]);
    expect(codeOf(await end(person.token, `/${id}`))).toEqual([404, "session_not_found"]);
  });

  test("the own session may be ended", async () => {
    const person = await gateway.verifiedPerson();
    expect((await end(person.token, `/${await idOf(person.token)}`)).status).toBe(200);
    expect(await works(person.token)).toBe(401);
  });

  test("404 session_not_found: another person's session, an unknown id and a text that is none look the same, and nothing ends", async () => {
    const [mine, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    const replies = [];
    for (const id of [await idOf(other.token), `ses_${"0".repeat(32)}`, "ses_1", "x"]) replies.push(await end(mine.token, `/${id}`));
    expect(replies.map(codeOf)).toEqual(replies.map(() => [404, "session_not_found"]));
    expect(new Set(replies.map(({ json }) => json.error.message)).size).toBe(1);
    expect(await works(other.token)).toBe(200);
  });
});

describe("DELETE /v1/auth/sessions", () => {
  test("ends all of the person's but the own; keys and other people's sessions stay", async () => {
    const [person, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
    const tokens = [await signIn(person, "a", "198.51.100.11"), await signIn(person, "b", "198.51.100.11")];
    expect((await end(tokens[1]!)).json).toEqual({ ended: 2 });
    expect([await works(person.token), await works(tokens[0]!), await works(tokens[1]!), await works(other.token)]).toEqual([
      401, 401, 200, 200,
    ]);
    expect((await gateway.request("GET", "/v1/credits/balance", { key: person.key })).status).toBe(200);
    expect((await end(tokens[1]!)).json).toEqual({ ended: 0 });
  });
});

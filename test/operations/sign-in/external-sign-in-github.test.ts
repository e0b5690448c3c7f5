// Signing in by GitHub, with a test server in GitHub's place.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type GithubServer, startGithubServer } from "../../support/github-server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let github: GithubServer;
let gateway: Gateway;

beforeAll(async () => {
  github = await startGithubServer();
  const emails = (email: string, verified: boolean) => [
    { email: "other@example.com", primary: false, verified: true },
    { email, primary: true, verified },
  ];
  github.users.set("octo", { id: 583_231, emails: emails("octo@example.com", true) });
  github.users.set("unsure", { id: 583_232, emails: emails("unsure@example.com", false) });
  github.users.set("nobody", { id: 583_233, emails: [] });
  gateway = await startGateway({
    env: {
      SVC_SIGNIN_GITHUB_CLIENT_ID: github.clientId,
      SVC_SIGNIN_GITHUB_CLIENT_SECRET: github.clientSecret,
      SVC_SIGNIN_GITHUB_URL: `${github.url}/`,
    },
  });
});

afterEach(() => void (github.fault = null));

afterAll(async () => {
  await gateway.stop();
  await github.close();
});

const start = () =>
  gateway.request("POST", "/v1/auth/signin/github/start", { body: { redirect_uri: "http://localhost:3000/signed-in?by=github" } });
const finish = (body: object) => gateway.request("POST", "/v1/auth/signin/github", { body });

async function withCode(login: string) {
  return github.agree((await start()).json.authorization_url, login);
}

test("200: the primary address of GitHub's API; the user's number there is the identity", async () => {
  const first = await finish(await withCode("octo"));
  expect(first.json.user).toMatchObject({ email: "octo@example.com", email_verified: true });
  const { rows } = await gateway.context.db.pool.query("select issuer, subject from identity");
  expect(rows).toEqual([{ issuer: github.url, subject: "583231" }]);
  expect((await finish(await withCode("octo"))).json.user.id).toBe(first.json.user.id);
});

test("200: users who sign in at the same time are not confused", async () => {
  const users = Array.from({ length: 8 }, (_, i) => ({ login: `user-${i}`, email: `user-${i}@example.com` }));
  for (const [i, { login, email }] of users.entries())
    github.users.set(login, { id: i, emails: [{ email, primary: true, verified: true }] });
  const codes = await Promise.all(users.map(({ login }) => withCode(login)));
  const replies = await Promise.all(codes.map(finish));
  expect(replies.map(({ json }) => json.user.email)).toEqual(users.map(({ email }) => email));
});

test("400 invalid_token: a browser that did not begin the sign-in; it is not spent", async () => {
  const page = { origin: "https://app.example.com", "sec-fetch-site": "cross-site" };
  const { code, state } = await withCode("octo");
  const by = (headers: Record<string, string>) => gateway.request("POST", "/v1/auth/signin/github", { body: { code, state }, headers });
  const cookie = /^__Host-svc_signin=[\w-]{43}/.exec(String((await start()).headers["set-cookie"]))![0];
  for (const headers of [page, { ...page, cookie }]) {
    const reply = await by(headers);
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_token", "state"]);
  }
  expect((await by({})).status).toBe(200); // a program, without a browser
});

test.each(["unsure", "nobody"])("401 invalid_credentials: no verified primary address (%s)", async (login) => {
  const reply = await finish(await withCode(login));
  expect([reply.status, reply.json.error.code]).toEqual([401, "invalid_credentials"]);
});

test("401 invalid_credentials: a wrong code, a used one, and one of another sign-in", async () => {
  const used = await withCode("octo");
  expect((await finish(used)).status).toBe(200);
  const another = await withCode("octo");
  for (const code of ["wrong", used.code, another.code]) {
    const reply = await finish({ code, state: (await start()).json.state });
    expect([reply.status, reply.json.error.code]).toEqual([401, "invalid_credentials"]);
  }
});

test("400 invalid_parameter: GitHub issues no identity tokens; the sign-in is not spent", async () => {
  const { code, state } = await withCode("octo");
  const reply = await finish({ id_token: "a.b.c", state });
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_parameter", "id_token"]);
  expect((await finish({ code, state })).status).toBe(200);
});

test.each([{ status: 500 }, { status: 429 }, { status: 302 }, { bytes: 1024 * 1024 }])(
  "503 overloaded: GitHub fails with %j; the same request works once it is back",
  async (fault) => {
    const sent = await withCode("octo");
    github.fault = fault;
    const reply = await finish(sent);
    expect([reply.status, reply.json.error.code, reply.json.error.retryable]).toEqual([503, "overloaded", true]);
    github.fault = null;
    expect((await finish(sent)).status).toBe(200);
  },
);

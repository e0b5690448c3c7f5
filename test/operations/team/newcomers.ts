// People who sign up and in, by password and by an OpenID provider, each from a client of its own; and what they are members of then.
import { expect } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { clientId, type OpenidProvider, redirectUri } from "../../support/openid-provider.ts";
import { password, tokenIn } from "../../support/sign-in.ts";
import type { TeamGateway } from "./team-gateway.ts";

export interface Newcomers {
  post(path: string, body: object): Promise<TestReply>;
  /** These return the session. */
  signUp(email: string): Promise<string>;
  signIn(email: string): Promise<string>;
  signInOutside(email: string): Promise<string>;
  /** The roles in others' workspaces, by workspace. */
  joined(session: string): Promise<Record<string, string>>;
}

/** Behind one proxy, with the OpenID provider as `idp`. */
export function newcomersOf(gateway: TeamGateway, provider: OpenidProvider): Newcomers {
  let clients = 0;
  const post: Newcomers["post"] = (path, body) =>
    gateway.request("POST", path, { body, headers: { "x-forwarded-for": `10.0.${++clients >> 8}.${clients & 255}` } });
  const sessionOf = ({ status, json }: TestReply): string => {
    expect([status, json.error]).toEqual([200, undefined]);
    return json.session_token;
  };
  return {
    post,
    async signUp(email) {
      expect((await post("/v1/auth/signup", { email, password })).status).toBe(201);
      return sessionOf(await post("/v1/auth/verify", { token: tokenIn(gateway.mails.findLast(({ to }) => to === email)!) }));
    },
    signIn: async (email) => sessionOf(await post("/v1/auth/signin", { email, password })),
    async signInOutside(email) {
      const { json } = await post("/v1/auth/signin/idp/start", { redirect_uri: redirectUri });
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: provider.issuer, aud: clientId, sub: email, iat: now, exp: now + 300, nonce: json.nonce };
      const token = provider.token({ ...claims, email, email_verified: true });
      return sessionOf(await post("/v1/auth/signin/idp", { id_token: token, state: json.state }));
    },
    async joined(session) {
      const { json } = await gateway.request("GET", "/v1/workspaces", { key: session });
      const rows = json.data as { id: string; role: string; personal: boolean }[];
      return Object.fromEntries(rows.filter(({ personal }) => !personal).map(({ id, role }) => [id, role]));
    },
  };
}

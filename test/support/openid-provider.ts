// A real OpenID provider (oidc-provider) on a socket of this machine, whose users sign in without a browser. Its signing key is known, so
// that a test can also make tokens that the provider would never issue.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type ClientMetadata } from "oidc-provider";

export interface OpenidProvider {
  issuer: string;
  /** By subject, which is also the login. */
  users: Map<string, { email: string; email_verified: boolean; groups?: unknown }>;
  /** Goes where the browser would; answers what came back to the redirect URI, from its query or its fragment. */
  signIn(authorizationUrl: string, login: string): Promise<URLSearchParams>;
  /** The address of the implicit flow, which a client takes that wants an identity token alone. */
  idTokenUrl(options: { nonce: string; clientId?: string }): string;
  /** Signed as the provider signs, unless another key is given. */
  token(claims: Record<string, unknown>, key?: KeyObject): string;
  /** How often each path was asked for. */
  asked: Map<string, number>;
  close(): Promise<void>;
}

export const clientId = "gateway";
export const clientSecret = "gateway-secret-0123456789";
export const redirectUri = "https://app.example.com/signed-in?from=provider";

const keyId = "test-key";

export async function startOpenidProvider(): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const users: OpenidProvider["users"] = new Map();
  const asked = new Map<string, number>();
  const provider = new Provider(issuer, {
    clients: [clientCalled(clientId), clientCalled("another-app")],
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...users.get(id) }) }),
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    scopes: ["openid", "email", "groups"],
    jwks: { keys: [{ ...(privateKey.export({ format: "jwk" }) as { kty: "RSA" }), kid: keyId, alg: "RS256", use: "sig" }] },
    responseTypes: ["code", "id_token"],
    pkce: { required: (_context, { clientId: id }) => id === clientId },
    cookies: { keys: ["test"] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const path = request.url!.split("?")[0]!;
    asked.set(path, (asked.get(path) ?? 0) + 1);
    void answer(request, response);
  });
  return {
    issuer,
    users,
    asked,
    signIn: walk,
    idTokenUrl: ({ nonce, clientId: client = clientId }) => {
      const parameters = { client_id: client, response_type: "id_token", scope: "openid email", redirect_uri: redirectUri, nonce };
      return `${issuer}/auth?${new URLSearchParams(parameters).toString()}`;
    },
    token: (claims, key = privateKey) => jwt({ alg: "RS256", kid: keyId }, claims, key),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function clientCalled(id: string): ClientMetadata {
  return {
    client_id: id,
    client_secret: id === clientId ? clientSecret : "another-secret",
    redirect_uris: [redirectUri],
    response_types: ["code", "id_token"],
    grant_types: ["authorization_code", "implicit"],
    token_endpoint_auth_method: "client_secret_post",
  };
}

/** Submits the forms of oidc-provider's own pages (login, then consent) until it leaves for the redirect URI. */
async function walk(authorizationUrl: string, login: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 12; step++) {
    if (url.startsWith(redirectUri.split("?")[0]!)) return new URLSearchParams(new URL(url).hash.slice(1) || new URL(url).search);
    const response: Response = await fetch(url, {
      method: form ? "POST" : "GET",
      body: form,
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const page = await response.text();
    const next = response.headers.get("location");
    if (next !== null) {
      url = new URL(next, url).href;
      form = null;
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (response.status !== 200 || prompt === undefined)
      throw new Error(`the provider answered ${response.status}: ${page.slice(0, 2_000)}`);
    url = new URL(/action="([^"]+)"/.exec(page)![1]!, url).href;
    form = new URLSearchParams({ prompt, login, password: "any" });
  }
  throw new Error("the provider did not come to an end");
}

function jwt(header: object, claims: object, key: KeyObject): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

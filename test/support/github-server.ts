// A small HTTP server in GitHub's place: an Enterprise server's addresses, and GitHub's ways of answering.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface GithubServer {
  url: string;
  clientId: string;
  clientSecret: string;
  users: Map<string, { id: number; emails: { email: string; primary: boolean; verified: boolean }[] }>;
  /** As if the user had agreed: a code for what the authorization address asks. */
  agree(authorizationUrl: string, login: string): { code: string; state: string };
  /** What it does instead of answering: a status, or a body of this many bytes. */
  fault: { status?: number; bytes?: number } | null;
  close(): Promise<void>;
}

interface Grant {
  login: string;
  challenge: string;
  redirectUri: string;
}

export async function startGithubServer(): Promise<GithubServer> {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, string>();
  const http = createServer((request, response) => {
    void answerTo(request).then(({ status = 200, body }) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

  const server: GithubServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    clientId: "Iv1.test",
    clientSecret: "github-secret",
    users: new Map(),
    agree(authorizationUrl, login) {
      const url = new URL(authorizationUrl);
      if (url.pathname !== "/login/oauth/authorize") throw new Error(`not GitHub's page: ${authorizationUrl}`);
      const asked = url.searchParams;
      const code = `code-${grants.size}`;
      grants.set(code, { login, challenge: asked.get("code_challenge")!, redirectUri: asked.get("redirect_uri")! });
      return { code, state: asked.get("state")! };
    },
    fault: null,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  async function answerTo(request: IncomingMessage): Promise<{ status?: number; body: unknown }> {
    const sent = new URLSearchParams(await text(request));
    if (server.fault?.status !== undefined) return { status: server.fault.status, body: { message: "Unicorn" } };
    if (server.fault?.bytes !== undefined) return { body: `"${"x".repeat(server.fault.bytes)}"` };
    if (request.url === "/login/oauth/access_token") return { body: exchange(sent) };
    const user = server.users.get(tokens.get(request.headers.authorization?.replace(/^bearer /i, "") ?? "") ?? "");
    if (!user || request.headers["user-agent"] === undefined) return { status: 401, body: { message: "Bad credentials" } };
    if (request.url === "/api/v3/user") return { body: { id: user.id, login: "octo", email: "shown@example.com" } };
    if (request.url?.startsWith("/api/v3/user/emails")) return { body: user.emails };
    return { status: 404, body: { message: "Not Found" } };
  }

  /** GitHub refuses with status 200. */
  function exchange(sent: URLSearchParams): object {
    if (sent.get("client_id") !== server.clientId || sent.get("client_secret") !== server.clientSecret)
      return { error: "incorrect_client_credentials", error_description: "The client_id and/or client_secret passed are incorrect." };
    const grant = grants.get(sent.get("code") ?? "");
    grants.delete(sent.get("code") ?? "");
    const challenge = createHash("sha256").update(sent.get("code_verifier") ?? "").digest("base64url"); // prettier-ignore
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== sent.get("redirect_uri"))
      return { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." };
    const token = `gho_${tokens.size}`;
    tokens.set(token, grant.login);
    return { access_token: token, scope: "user:email", token_type: "bearer" };
  }

  return server;
}

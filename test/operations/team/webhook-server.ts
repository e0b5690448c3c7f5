// An endpoint for webhooks with TLS: keeps what was posted, and answers as it is told.
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { ca, resolver, startFileServer } from "../../media/file-server.ts";

export interface Hook {
  /** The path that was posted to. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookServer {
  url(path: string): string;
  hooks: Hook[];
  /** What was posted to a path, oldest first. */
  at(path: string): Hook[];
  /** By path; absent: 204. */
  answers: Map<string, (response: ServerResponse) => void>;
  connections(): number;
  close(): Promise<void>;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const hooks: Hook[] = [];
  const answers: WebhookServer["answers"] = new Map();
  const server = await startFileServer((request, response) => {
    void text(request).then((body) => {
      hooks.push({ path: request.url!, headers: request.headers as Record<string, string>, body });
      const answer = answers.get(request.url!);
      if (answer === undefined) response.writeHead(204).end();
      else answer(response);
    });
  });
  return {
    url: (path) => `https://files.test:${server.port}${path}`,
    hooks,
    at: (path) => hooks.filter((hook) => hook.path === path),
    answers,
    connections: server.connections,
    close: server.close,
  };
}

/** The gateway trusts its certificate and knows its name. */
export const trusting = { ca, resolve: resolver({ "files.test": ["127.0.0.1"] }) };

/** What the endpoint's owner gets out of it; throws where no signature is the secret's. */
export function verified({ body, headers }: Hook, secret: string): any {
  return new Webhook(secret).verify(body, headers);
}

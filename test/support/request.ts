// One HTTP request of a test, its reply read whole and held against the contract; where TEST_PRISM is set by Prism too.
import { type Operation, operations } from "../../generated/operations.ts";
import { parseJson } from "../../src/json/parse.ts";
import { judgeByPrism, type Received } from "../prism/judge.ts";
import { checkReply } from "./contract.ts";

export interface RequestOptions {
  /** An API key or a session's token. */
  key?: string;
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** For the few replies that no operation declares. */
  unchecked?: true;
}

export interface TestReply {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as it came, where it is no text. */
  bytes: Buffer;
  /** The body parsed; undefined where it is no JSON. */
  json: any;
}

/** Any gateway by its address; checks the reply against the operation that the path belongs to. */
export async function checkedRequest(url: string, method: string, path: string, options: RequestOptions = {}): Promise<TestReply> {
  const { key, body, headers = {}, signal, unchecked } = options;
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const received = await ask(url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: raw ? ((body ?? null) as RequestInit["body"]) : JSON.stringify(body),
    signal: signal ?? null,
  });
  const text = received.bytes.toString();
  const reply = { ...received, text, json: parsed(text) as TestReply["json"] };
  const operation = operationOf(method, path);
  if (operation && !unchecked) {
    const isHead = method === "HEAD"; // comes with GET, and Prism refuses it
    checkReply(operation.id, { status: reply.status, headers: reply.headers, ...(isHead ? {} : { bodyText: text }) });
    if (!isHead) await judgeByPrism(operation, received, reply.json);
  }
  return reply;
}

async function ask(url: string, request: RequestInit): Promise<Received> {
  const response = await fetch(url, request);
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes: Buffer.from(await response.arrayBuffer()) };
}

// `/v1/models/recommend` before `/v1/models/{id}`, `/v1/auth/signin/{provider}/start` before `/v1/auth/signin/{provider}`
const byPrecedence = (Object.values(operations) as Operation[])
  .map((operation) => ({ operation, template: operation.path.split("/"), isLiteral: !operation.path.includes("{") }))
  .sort((a, b) => Number(b.isLiteral) - Number(a.isLiteral) || b.template.length - a.template.length);

function operationOf(method: string, path: string): Operation | undefined {
  const parts = path.split("?")[0]!.split("/");
  const wantedMethod = method === "HEAD" ? "get" : method.toLowerCase();
  return byPrecedence.find(({ operation, template }) => operation.method === wantedMethod && takesPath(template, parts))?.operation;
}

/** A parameter at the end may hold slashes, as model ids do. */
function takesPath(wanted: string[], parts: string[]): boolean {
  const longEnough = wanted.at(-1)!.startsWith("{") ? parts.length >= wanted.length : parts.length === wanted.length;
  return longEnough && wanted.every((part, index) => part.startsWith("{") || part === parts[index]);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

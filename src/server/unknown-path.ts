// Requests that no operation answers: unknown paths, with a hint for known mistakes (docs/behaviour/requests.md#paths),
// wrong methods, with Allow, and OPTIONS.
import { type Operation, type OperationId, operations } from "../../generated/operations.ts";
import { ApiError, fail } from "../errors/fail.ts";
import { preflightHeaders } from "./cors.ts";
import type { Exchange } from "./edge.ts";
import type { Matcher } from "./match.ts";
import type { AnyReply } from "./reply.ts";

/** What a path allows: the documented methods, HEAD where there is GET, and OPTIONS. */
function allowedMethods(methods: readonly string[]): string {
  const upper = methods.map((method) => method.toUpperCase());
  return [...new Set([...upper, ...(upper.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
}

export function failMethod(exchange: Exchange, methods: readonly string[]): never {
  const allow = allowedMethods(methods);
  const { method = "" } = exchange.req;
  return fail("method_not_allowed", { headers: { allow }, text: { method, path: exchange.path.slice(0, 200), allowed: allow } });
}

/** 204 for every path that exists, also without the headers of a preflight. */
export function optionsReply(exchange: Exchange, methods: readonly string[]): AnyReply {
  return { status: 204, headers: preflightHeaders(exchange.req.headers, allowedMethods(methods)) };
}

/** Under /v1, where API clients call, with the endpoints that may have been meant. */
export function unknownV1Path(exchange: Exchange, matcher: Matcher<Operation>, operations: readonly Operation[]): ApiError {
  return unknownPath(exchange, matcher, { available_endpoints: endpointsNear(exchange.path, operations) });
}

/** An operator's operation, asked by anyone else: as if its path were unknown. */
export function failUnknown(exchange: Exchange): never {
  const path = exchange.path.slice(0, 200);
  throw new ApiError("endpoint_not_found", {
    text: { path },
    extra: { available_endpoints: endpointsNear(path, Object.values(operations)) },
  });
}

export function unknownPath(exchange: Exchange, matcher: Matcher<Operation>, extra: Record<string, unknown> = {}): ApiError {
  if (isOfAnthropic(exchange)) exchange.dialect = "anthropic";
  const path = exchange.path.slice(0, 200);
  const hint = hintFor(exchange.path, matcher);
  return new ApiError("endpoint_not_found", { text: { path, ...(hint !== null && { hint }) }, extra });
}

/** Anthropic's clients read no other envelope, whichever of Anthropic's paths they request. */
function isOfAnthropic({ path, req }: Exchange): boolean {
  return path.startsWith("/v1/messages/") || req.headers["anthropic-version"] !== undefined;
}

/** A hint, as a sentence; null: none. */
function hintFor(path: string, matcher: Matcher<Operation>): string | null {
  const exists = (candidate: string) => matcher.onPath(candidate).length > 0;
  if (path.startsWith("/v1/v1/")) return "The path has /v1 twice: leave /v1 out of the base address of this client.";
  if (path.startsWith("/v1/responses/")) return "Where nothing is stored, send the whole conversation to POST /v1/responses.";
  const single = path.replace(/\/{2,}/g, "/");
  if (single !== path && exists(trimSlash(single))) return `Did you mean ${trimSlash(single)}? A path has single slashes.`;
  if (path.endsWith("/") && exists(trimSlash(path))) return `Did you mean ${trimSlash(path)}? A path has no slash at its end.`;
  if (exists(`/v1${trimSlash(single)}`)) return "Add /v1 to the base address.";
  return null;
}

function trimSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

// Which endpoints a caller may have meant by an unknown path: only a few, since SDKs put the whole body of an error into its text.

const nearMax = 5;
/** For paths that resemble no endpoint. */
const commonest: readonly OperationId[] = ["createChatCompletion", "createMessage", "createResponse", "createEmbeddings", "listModels"];

/** As `METHOD path`, those that share the longest beginning first; never empty. */
function endpointsNear(path: string, all: readonly Operation[]): string[] {
  const asked = segmentsOf(path);
  const open = all.filter(({ operator }) => operator === undefined);
  const near = open
    .map((operation) => ({ operation, shared: sharedBeginning(asked, segmentsOf(operation.path)) }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared || one.operation.path.length - other.operation.path.length)
    .map(({ operation }) => operation);
  const named = near.length > 0 ? near : commonest.flatMap((id) => open.find((operation) => operation.id === id) ?? []);
  return named.slice(0, nearMax).map(({ method, path: own }) => `${method.toUpperCase()} ${own}`);
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split("/", 8).slice(2).filter(Boolean);
}

/** Counts equal segments, and half a segment for a common beginning. */
function sharedBeginning(asked: readonly string[], own: readonly string[]): number {
  const differs = own.findIndex((segment, at) => segment !== asked[at]);
  if (differs === -1) return own.length;
  const [one, other] = [own[differs]!, asked[differs]];
  return differs + (other !== undefined && (one.startsWith(other) || other.startsWith(one)) ? 0.5 : 0);
}

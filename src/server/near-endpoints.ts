// Which endpoints a caller may have meant by a path that is none: a few, since SDKs put the whole body of an error into its text.
import type { Operation, OperationId } from "../../generated/operations.ts";

const nearMax = 5;
/** For paths that are like none. */
const commonest: readonly OperationId[] = ["createChatCompletion", "createMessage", "createResponse", "createEmbeddings", "listModels"];

/** As `METHOD path`, those that share the longest beginning first; never none. */
export function endpointsNear(path: string, operations: readonly Operation[]): string[] {
  const asked = segmentsOf(path);
  const near = operations
    .map((operation) => ({ operation, shared: sharedBeginning(asked, segmentsOf(operation.path)) }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared || one.operation.path.length - other.operation.path.length)
    .map(({ operation }) => operation);
  const named = near.length > 0 ? near : commonest.flatMap((id) => operations.find((operation) => operation.id === id) ?? []);
  return named.slice(0, nearMax).map(({ method, path: own }) => `${method.toUpperCase()} ${own}`);
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split("/", 8).slice(2).filter(Boolean);
}

/** Whole segments, and a half for one that only begins alike. */
function sharedBeginning(asked: readonly string[], own: readonly string[]): number {
  const differs = own.findIndex((segment, at) => segment !== asked[at]);
  if (differs === -1) return own.length;
  const [one, other] = [own[differs]!, asked[differs]];
  return differs + (other !== undefined && (one.startsWith(other) || other.startsWith(one)) ? 0.5 : 0);
}

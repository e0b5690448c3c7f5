// Who of a workspace may use an operation with a session: checks that each operation which takes one says it (x-roles), and documents the header that chooses
// the workspace.
import { type Document, type OperationObject, operationsOf } from "./document.ts";

const roles = ["owner", "admin", "developer", "billing", "viewer"];
/** Instead of roles: the operation is about the person who is signed in, whatever the workspace. */
const person = "person";

/** Undefined: any session may, or it takes none. Fails where a session is taken and nothing is said; operators have their own rule (x-operator). */
export function rolesOf(operation: OperationObject): string[] | undefined {
  const { operationId } = operation;
  const takesSession = (operation.security ?? []).some((one) => "SessionToken" in one || "SessionCookie" in one);
  const named = operation["x-roles"] as string[] | undefined;
  if (!takesSession && named !== undefined) throw new Error(`${operationId}: x-roles are for operations that take a session`);
  if (takesSession && named === undefined && operation["x-operator"] === undefined)
    throw new Error(`${operationId}: say in x-roles which roles may (${roles.join(", ")}), or "${person}"`);
  if (named === undefined || (named.length === 1 && named[0] === person)) return undefined;
  if (named.length === 0 || named.some((role) => !roles.includes(role))) throw new Error(`${operationId}: x-roles names an unknown role`);
  return named;
}

/** Of the published document alone: authentication reads the header, no validator does. */
export function documentWorkspaceHeader(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const named = rolesOf(operation);
    if (named === undefined) continue;
    const who = named.length === roles.length ? "a member" : named.join(" or ");
    operation.parameters = [
      ...(operation.parameters ?? []),
      {
        name: "X-Workspace-Id",
        in: "header",
        description: `With a session: the workspace to act in, as ${who}. Default: your own. With an API key it has no effect: the key's workspace counts.`,
        required: false,
        schema: { type: "string", maxLength: 64 },
      },
    ];
  }
}

// Which groups of an identity provider are which roles in which workspaces, as the operator writes it down, and what a claim with groups says.

/** A role that a group may give: never owner. */
export type GroupRole = (typeof groupRoles)[number];

/** The strongest first. */
const groupRoles = ["admin", "developer", "billing", "viewer"] as const;

interface GroupRule {
  group: string;
  /** `ws_…` */
  workspace: string;
  role: GroupRole;
}

export interface GroupSettings {
  /** Of the identity token, or of what the provider tells of a user. */
  claim: string;
  rules: readonly GroupRule[];
}

/** Each is looked up, and its workspace locked, at every sign-in. */
const rulesMax = 100;

/** What a provider of sign-ins is asked beside who the user is; `start`: of the names of its variables. */
export function readAsked(text: (name: string) => string | null, start: string) {
  return {
    scope: readScope(text(`${start}_SCOPE`), `${start}_SCOPE`),
    groups: readGroups(text(`${start}_GROUPS`), text(`${start}_GROUPS_CLAIM`), `${start}_GROUPS`),
  };
}

/** `group=WORKSPACE_ID:role` with commas between them; null: not set. The name of a group may hold anything but a comma. */
function readGroups(text: string | null, claim: string | null, name: string): GroupSettings | null {
  if (text === null && claim !== null) throw new Error(`${name}_CLAIM is set and ${name} is not`);
  if (text === null) return null;
  const rules = text.split(",").map((one) => {
    const [, group = "", workspace = "", role = ""] = /^(.+)=(ws_[0-9a-f]{32}):(\w+)$/.exec(one.trim()) ?? [];
    const known = groupRoles.find((word) => word === role);
    if (known === undefined)
      throw new Error(
        `${name} must be group=WORKSPACE_ID:role with commas between them, the role one of ${groupRoles.join(", ")}; "${one.trim()}" is not`,
      );
    return { group: group.trim(), workspace, role: known };
  });
  if (rules.length > rulesMax) throw new Error(`${name} has more than ${rulesMax} groups`);
  return { claim: claim ?? "groups", rules };
}

/** RFC 6749 3.3. Null: not set. */
function readScope(text: string | null, name: string): string | null {
  if (text !== null && !/^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(text)) throw new Error(`${name} must be scopes with blanks between them`);
  return text;
}

/**
 * The roles that a claim gives, by workspace; of several the strongest. A text is one group. What is no text names no group, so that a claim of
 * another form gives nothing.
 */
export function rolesByGroups(rules: readonly GroupRule[], claim: unknown): Map<string, GroupRole> {
  const groups = new Set((Array.isArray(claim) ? claim : [claim]).filter((group) => typeof group === "string"));
  const given = new Map<string, GroupRole>();
  for (const role of groupRoles)
    for (const rule of rules)
      if (rule.role === role && groups.has(rule.group) && !given.has(rule.workspace)) given.set(rule.workspace, role);
  return given;
}

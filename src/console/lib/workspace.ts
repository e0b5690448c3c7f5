// The workspace that this tab acts in. Each tab has its own: its id, which is no secret, is kept with the tab. None means the person's own.
import { queryOptions } from "@tanstack/react-query";
import { getWorkspace, listWorkspaces, SvcError } from "svc-sdk/functions";
import type { Role } from "svc-sdk/types";
import { api, setWorkspaceHeader } from "./api.ts";
import { keepForTab, keptWorkspace } from "./place.ts";
import { queries } from "./queries.ts";

export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => listWorkspaces(api).then((list) => list.data),
  staleTime: 60_000,
});
export const workspaceQuery = queryOptions({ queryKey: ["workspace"], queryFn: () => getWorkspace(api), staleTime: 30_000 });

export function applyWorkspace(): void {
  setWorkspaceHeader(keptWorkspace());
}

type Changed = () => void;
const whenChanged: Changed[] = [];

/** For what is held beside the queries. */
export function onWorkspaceChange(changed: Changed): void {
  whenChanged.push(changed);
}

/** Nothing that was read of the workspace before is shown in the next. */
export function enterWorkspace(id: string | null): void {
  keepWorkspace(id);
  for (const changed of whenChanged) changed();
  void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}

/** Null: the person's own. */
export function keepWorkspace(id: string | null): void {
  setWorkspaceHeader(id);
  keepForTab(id);
}

/** Every role reads its workspace: who may not is no longer in it. */
export function isGoneWorkspace(error: unknown): boolean {
  return SvcError.is(error, "permission_denied");
}

export const roles: Record<Role, { label: string; about: string }> = {
  owner: { label: "Owner", about: "Can do everything, including making and removing owners" },
  admin: { label: "Admin", about: "Can do everything except changing owners" },
  developer: { label: "Developer", about: "Creates and sees own keys; reads usage and credit" },
  billing: { label: "Billing", about: "Adds credit; reads usage and credit" },
  viewer: { label: "Viewer", about: "Reads; changes nothing" },
};

export function mayManage(role: Role | undefined): boolean {
  return role === "owner" || role === "admin";
}

/** Roles that a person may give: owners alone make owners. */
export function rolesToGive(role: Role): Role[] {
  return (Object.keys(roles) as Role[]).filter((one) => one !== "owner" || role === "owner");
}

// Who is in the workspace, read by pages.
import { queryOptions } from "@tanstack/react-query";
import { listMembers, type Member } from "svc-sdk/functions";
import { api } from "./api.ts";

/** Pages of a hundred; what is beyond is left out, and the members' page says so. */
export const mostMembers = 1_000;

async function readMembers(): Promise<{ members: Member[]; whole: boolean }> {
  const members: Member[] = [];
  for await (const member of listMembers(api, { limit: 100 })) {
    if (members.length >= mostMembers) return { members, whole: false };
    members.push(member);
  }
  return { members, whole: true };
}

export const membersQuery = queryOptions({ queryKey: ["members"], queryFn: readMembers });

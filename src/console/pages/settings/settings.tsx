// Settings: the workspace's name, how the person signs in, what is stored, who and what is told of events, and what can't be undone.
import type { ReactNode } from "react";
import { RoleNote } from "../../shell/role-note.tsx";
import { Page } from "../../ui/parts.tsx";
import { DangerZone } from "./danger-zone.tsx";
import { Notices } from "./notices.tsx";
import { Profile } from "./profile.tsx";
import { Security } from "./security.tsx";
import { StoredResponses } from "./stored-responses.tsx";
import { Webhooks } from "./webhooks.tsx";

export function Settings(): ReactNode {
  return (
    <Page title="Settings">
      <Profile />
      <Security />
      <StoredResponses />
      <Notices />
      <Webhooks />
      <RoleNote right="manage" what="store responses, set notices and webhooks" />
      <DangerZone />
    </Page>
  );
}

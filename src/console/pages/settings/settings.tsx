// Settings: the workspace's name, the person's password, and what can't be undone.
import type { ReactNode } from "react";
import { Page } from "../../ui/parts.tsx";
import { DangerZone } from "./danger-zone.tsx";
import { Notices } from "./notices.tsx";
import { Profile } from "./profile.tsx";
import { Security } from "./security.tsx";

export function Settings(): ReactNode {
  return (
    <Page title="Settings">
      <Profile />
      <Security />
      <Notices />
      <DangerZone />
    </Page>
  );
}

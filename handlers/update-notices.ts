// PATCH /v1/workspace/notices: changes what the workspace is told by mail, and which roles.
import { changePreferences, noticeSettings } from "../src/notices/events.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const updateNotices: Handler<"updateNotices"> = async ({ db }, { caller, body }) => ({
  status: 200,
  body: noticeSettings(await changePreferences(db, actorOf(caller), body)),
});

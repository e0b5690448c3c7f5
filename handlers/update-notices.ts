// PATCH /v1/workspace/notices: changes what the workspace is told by mail, and which roles.
import { changePreferences, noticeSettings } from "../src/notices/events.ts";
import type { Handler } from "../src/operation.ts";

export const updateNotices: Handler<"updateNotices"> = async ({ db }, { caller: { accountId }, body }) => ({
  status: 200,
  body: noticeSettings(await changePreferences(db, accountId, body)),
});

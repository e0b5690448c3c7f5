// GET /v1/workspace/notices: what the workspace is told by mail, and which roles.
import { noticeSettings, readPreferences } from "../src/notices/events.ts";
import type { Handler } from "../src/operation.ts";

export const getNotices: Handler<"getNotices"> = async ({ db }, { caller: { accountId } }) => ({
  status: 200,
  body: noticeSettings(await readPreferences(db, accountId)),
});

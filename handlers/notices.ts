// The handlers of notices; index.ts has the others.
import { getNotices } from "./get-notices.ts";
import { updateNotices } from "./update-notices.ts";

export const noticeHandlers = { getNotices, updateNotices };

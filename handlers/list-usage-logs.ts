// Stub: replaced in this session.
import { fail } from "../src/fail.ts";
import type { Handler } from "../src/server/types.ts";

export const listUsageLogs: Handler<"listUsageLogs"> = () => fail("not_implemented");

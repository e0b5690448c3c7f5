// Stub: replaced in this session.
import { fail } from "../src/fail.ts";
import type { Handler } from "../src/server/types.ts";

export const deleteApiKey: Handler<"deleteApiKey"> = () => fail("not_implemented");

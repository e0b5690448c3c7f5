// Stub: replaced in this session.
import { fail } from "../src/fail.ts";
import type { Handler } from "../src/server/types.ts";

export const getReceipt: Handler<"getReceipt"> = () => fail("not_implemented");

// Stub: replaced in this session.
import { fail } from "../src/fail.ts";
import type { Handler } from "../src/server/types.ts";

export const listLedgerEntries: Handler<"listLedgerEntries"> = () => fail("not_implemented");

// Loaded into a gateway by its test (NODE_OPTIONS): `svc start` as it is shipped, with the times of quick-ledger.ts.
import { ledgerTimes } from "../../src/ledger/times.ts";
import { quickTimes } from "./quick-ledger.ts";

Object.assign(ledgerTimes, quickTimes);

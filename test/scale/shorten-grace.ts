// Loaded into a gateway by its test (NODE_OPTIONS): `svc start` as it is shipped, but SIGTERM waits 5 s for what is in flight.
import { stopTimes } from "../../src/main.ts";

stopTimes.graceMs = 5_000;

// Loaded into a gateway by its test (NODE_OPTIONS): `svc start` as it is shipped, whose orphaned workers end three times as soon.
import { orphanTimes } from "../../src/start/start.ts";

orphanTimes.graceMs /= 3;
orphanTimes.endMs /= 3;

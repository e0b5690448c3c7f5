// Loaded into a gateway by its test (NODE_OPTIONS): `svc start` as it is shipped, with a quarter of the room for bodies.
import { defaultLimits } from "../../src/server/edge.ts";

defaultLimits.allBodiesBytes /= 4;

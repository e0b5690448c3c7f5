// Where the command is; apart from gateway.ts, so that a test of a small command needs nothing of the gateway.
import { fileURLToPath } from "node:url";

export const svcPath = fileURLToPath(new URL("../../bin/svc.js", import.meta.url));

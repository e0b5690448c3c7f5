// Loaded into a gateway by its test (NODE_OPTIONS): `svc start` as it is shipped, of which one worker stops as it starts, until SIGCONT.
import cluster from "node:cluster";

if (cluster.worker?.id === Number(process.env["TEST_STAND_STILL"])) process.kill(process.pid, "SIGSTOP");

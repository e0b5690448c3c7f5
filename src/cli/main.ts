// The `svc` command as a process: bin/svc.js starts this file under the pinned runtime.
import cluster from "node:cluster";
import { answer } from "./answer.ts";

// bin/svc.js may run under another Node and wait for this process. It passes signals on as messages. When it
// is killed, its channel closes. (src/start/start.ts handles a worker's channel.)
if (process.channel && !cluster.isWorker) {
  process.on("message", (signal: NodeJS.Signals) => process.emit(signal, signal) || process.kill(process.pid, signal));
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

const { status, stdout, stderr } = await answer(process.argv.slice(2), process.env);
if (stdout !== "") process.stdout.write(stdout);
if (stderr !== "") process.stderr.write(stderr);
if (stderr !== "") process.exit(status); // a failed start may have left handles open
if (status !== 0) process.exitCode = status;

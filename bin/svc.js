#!/usr/bin/env node
// Starts under any Node from 18 on and hands over to the pinned runtime, which runs src/cli/main.ts as it stands.
// Plain JavaScript with nothing imported from the project: an old Node could not read it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const main = new URL("../src/cli/main.ts", import.meta.url);
/** Compiled code is kept between calls: a command beside a running gateway answers a third sooner. Ours alone, unlike /tmp. */
const compileCache = fileURLToPath(new URL("../node_modules/.cache/svc-compiled", import.meta.url));
/** As in the start script of package.json: most of a request's garbage dies young, and a larger nursery is swept less often. */
const runtimeFlags = ["--max-semi-space-size=32"];
const pinned = findPinnedNode();
const ownMajor = Number(process.versions.node.split(".")[0]);

if (pinned === undefined && ownMajor < 24) {
  console.error(
    `svc needs Node 24 or newer (this is ${process.versions.node}); the package node-${process.platform}-${process.arch} is not installed`,
  );
  process.exit(1);
}
if (pinned === undefined || pinned === process.execPath) {
  module.enableCompileCache?.(compileCache);
  await import(main.href);
} else handOver(pinned);

function findPinnedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`));
    const binary = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} runtime */
function handOver(runtime) {
  // The channel carries signals, and its end tells the child that this process was killed (src/cli/main.ts).
  const child = spawn(runtime, [...runtimeFlags, fileURLToPath(main), ...process.argv.slice(2)], {
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // Caught, so that this process outlives the child and gives its status. Passed on as a message: where the whole group got
  // the signal the child has it already, and a second real one would cut short its orderly end.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"])
    process.on(signal, () => child.connected && child.send(signal, () => undefined));
  child.once("error", (error) => {
    console.error(`svc could not start ${runtime}: ${error.message}`);
    process.exit(1);
  });
  child.once("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal); // ends as the child ended, so that a shell sees the same
  });
}

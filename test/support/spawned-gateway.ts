// `svc start` as a process of its own, for tests that end it: by a signal, by kill -9, or beside others on one database.
import { optionsFor, type Program, programFor } from "./bundle.ts";
import { scratchFolder } from "./leftovers.ts";
import { type ReadyProcess, spawnUntilReady } from "./spawn-until-ready.ts";

export type SpawnedGateway = Omit<ReadyProcess, "exited">;

export const gatewayReady = /^gateway ready (http\S+)$/;

/** `svc start` as an operator starts it; resolves at its ready line. */
export async function spawnGateway(env: Record<string, string>, program: Program = programFor("svc", env)): Promise<SpawnedGateway> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|DATABASE|SVC_)|_API_KEY$/.test(name)),
  );
  // Else it would keep its files in the checkout; and what a test preloads would be compiled at each start.
  const given = {
    ...inherited,
    NODE_COMPILE_CACHE: program.compileCache,
    PORT: "0",
    SVC_DATA_DIR: env["SVC_DATA_DIR"] ?? scratchFolder("data-"),
    ...env,
    ...(env["NODE_OPTIONS"] === undefined ? {} : { NODE_OPTIONS: optionsFor(program, env["NODE_OPTIONS"]) }),
  };
  return spawnUntilReady(gatewayReady, process.execPath, [program.path, "start"], { env: given });
}

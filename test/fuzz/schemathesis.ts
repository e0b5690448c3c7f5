// Schemathesis itself: from its Docker image where an engine runs, else from PyPI in a virtual environment of its own. The same version both times.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { install, type PrivatePython } from "../support/private-python.ts";
import type { World } from "./world.ts";

interface Schemathesis {
  how: string;
  /** To be followed by the arguments of `st`. It runs in `folder`, and gets `environment`. */
  command: (folder: string, environment: Record<string, string>) => [program: string, ...args: string[]];
}

interface Outcome {
  status: number | null;
  operations: string;
  failures: string;
  /** Without the requests that checks send beside them. */
  cases: number;
  requests: number;
  checks: number;
}

const version = "4.25.2";
const image = `schemathesis/schemathesis:${version}`;
const python: PrivatePython = {
  folder: fileURLToPath(new URL("../../.schemathesis", import.meta.url)),
  pins: [{ file: fileURLToPath(new URL("./requirements.txt", import.meta.url)) }],
};

export function findSchemathesis(): Schemathesis | { reason: string } {
  if (spawnSync("docker", ["info"]).status === 0) return { how: `its image ${image}`, command: inContainer };
  const reason = install(python);
  if (reason !== null) return { reason: `there is no Docker engine, and ${reason}` };
  return { how: `version ${version} from PyPI`, command: () => [join(python.folder, "bin/st")] };
}

/** The image's entry point is `st`. On the machine's own network, as the caller's user: the folder is the caller's. */
function inContainer(folder: string, environment: Record<string, string>): [string, ...string[]] {
  const variables = Object.keys(environment).flatMap((name) => ["-e", name]);
  const user = process.getuid === undefined ? [] : ["--user", `${process.getuid()}:${process.getgid!()}`];
  return ["docker", "run", "--rm", "--network", "host", ...user, "-v", `${folder}:/fuzz`, "-w", "/fuzz", ...variables, image];
}

/** In the world's folder, where its files are. What it prints goes on. */
export async function runSchemathesis({ command }: Schemathesis, world: World, options: string[]): Promise<Outcome> {
  // By its module name: a file would be run twice.
  const environment = { ...world.environment, SCHEMATHESIS_HOOKS: "hooks" };
  const [program, ...args] = command(world.folder, environment);
  const all = [...args, "--config-file", "schemathesis.toml", "run", "openapi.json", "--url", world.url, "--no-color", ...options];
  const child = spawn(program, all, { cwd: world.folder, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  createInterface(child.stdout).on("line", (line) => {
    output += `${line}\n`;
    // Its closing line looks like pytest's of a run without a test, and is taken for one by those who read closing lines.
    console.log(line.replace(/^=+ (.* in [\d.]+s) =+$/, "Schemathesis: $1"));
  });
  const status = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const counts = join(world.folder, "totals.json");
  const counted = existsSync(counts) ? (JSON.parse(readFileSync(counts, "utf8")) as Pick<Outcome, "cases" | "requests" | "checks">) : null;
  return {
    status,
    operations: /^\s*Tested: (\d+)/m.exec(output)?.[1] ?? "?",
    failures: /(\d+) unique failures/.exec(output)?.[1] ?? (status === 0 ? "0" : "?"),
    ...(counted ?? { cases: 0, requests: 0, checks: 0 }),
  };
}

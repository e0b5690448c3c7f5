// Does what Dockerfile says, without an engine: the same files in a folder, the same command, the same environment. Packages are copied from
// this checkout: those that package-lock.json counts to what the stage installs.
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnUntilReady } from "../support/spawn-until-ready.ts";
import { gatewayReady } from "../support/spawned-gateway.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

interface Stage {
  name: string;
  base: string;
  instructions: Instruction[];
}

interface Instruction {
  name: string;
  text: string;
}

export function readDockerfile(): Stage[] {
  const text = readFileSync(join(root, "Dockerfile"), "utf8");
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n");
  const stages: Stage[] = [];
  for (const line of lines.filter((line) => line.trim() !== "")) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) as unknown as [string, string, string];
    const from = /^(\S+)(?: AS (\S+))?$/.exec(rest);
    if (name === "FROM" && from !== null) stages.push({ base: from[1]!, name: from[2] ?? "", instructions: [] });
    else stages.at(-1)!.instructions.push({ name, text: rest.replaceAll(/\s+/g, " ") });
  }
  return stages;
}

/** Of one stage, every line of that instruction. */
export function linesOf({ instructions }: Stage, name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

interface Copy {
  /** Null: from the checkout. */
  from: string | null;
  sources: string[];
  target: string;
}

export function copiesOf(stage: Stage): Copy[] {
  return linesOf(stage, "COPY").map((text) => {
    const words = text.split(" ");
    const from = words[0]!.startsWith("--from=") ? words.shift()!.slice("--from=".length) : null;
    return { from, sources: words.slice(0, -1), target: words.at(-1)! };
  });
}

export interface Image {
  /** Stands for /app. */
  app: string;
  command: string[];
  healthcheck: string[];
  /** As the image sets it, its folders being those of the test. */
  env: Record<string, string>;
  remove(): void;
}

export function buildImage(): Image {
  const stages = readDockerfile();
  const last = stages.at(-1)!;
  const folder = mkdtempSync(join(tmpdir(), "svc-image-"));
  const app = join(folder, "app");
  for (const { from, sources, target } of copiesOf(last)) {
    for (const source of sources) {
      const to = join(app, target.endsWith("/") ? join(target, basename(source)) : target);
      if (from === null) copy(join(root, source), to);
      else if (source === "/app/node_modules")
        installPackages(
          stages.find(({ name }) => name === from)!,
          to,
        );
      else copy(join(root, relative("/app", source)), to);
    }
  }
  const env = Object.fromEntries(linesOf(last, "ENV").map((text) => text.split("=") as [string, string]));
  const inFolder = (value: string) => value.replace(/^\/(?=data|tmp)/, `${folder}/`);
  return {
    app,
    command: [...jsonOf(last, "ENTRYPOINT"), ...jsonOf(last, "CMD")],
    healthcheck: JSON.parse(/CMD (\[.*\])$/.exec(linesOf(last, "HEALTHCHECK")[0]!)![1]!) as string[],
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inFolder(value)])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The form that needs no shell. */
function jsonOf(stage: Stage, name: string): string[] {
  return JSON.parse(linesOf(stage, name)[0]!) as string[];
}

/** A package's own packages are entries of the lock file like others. */
function installPackages(stage: Stage, to: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Record<string, LockEntry> };
  const [run] = linesOf(stage, "RUN");
  const omits = (kind: string) => run!.includes(`--omit=${kind}`);
  for (const [path, entry] of Object.entries(packages)) {
    const { dev = false, optional = false, devOptional = false } = entry;
    const left = (omits("dev") && dev) || (omits("optional") && optional) || (omits("dev") && omits("optional") && devOptional);
    if (path !== "" && !left) copy(join(root, path), join(to, relative("node_modules", path)));
  }
}

interface LockEntry {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
}

/** Without the packages of a package. What isn't there is found by the test, or belongs to another platform. */
function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  link(from, to, (name) => name !== "node_modules");
}

/** Links, not copies: thousands of files, and nobody writes them. */
function link(from: string, to: string, keeps: (name: string) => boolean = () => true): void {
  if (statSync(from).isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from).filter(keeps)) link(join(from, name), join(to, name));
    return;
  }
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // another disk
  }
}

export interface RunningImage {
  url: string;
  output(): string;
  stop(): Promise<number | null>;
}

/** `docker run` with these variables; the port is a free one. */
export async function runImage({ app, command, env }: Image, given: Record<string, string>): Promise<RunningImage> {
  const [, ...words] = command;
  const options = { cwd: app, env: { ...env, PORT: "0", ...given } };
  const { url, output, kill } = await spawnUntilReady(gatewayReady, process.execPath, words, options);
  return { url: url.replace("0.0.0.0", "127.0.0.1"), output, stop: () => kill("SIGTERM") };
}

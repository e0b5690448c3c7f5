// Once a run: a Postgres server, migrated once into a template that every test database is a copy of, and the record
// of which errors the run has seen. At its end nothing of it may be left. TEST_DATABASE_URL: that server; TEST_POSTGRES_MAJOR=15: the system's Postgres 15.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { connect } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { findSystemPostgres } from "../../src/db/postgres-process.ts";
import { bundlePrograms } from "./bundle.ts";
import { failOnDifference } from "./error-coverage.ts";
import { failOnLeftovers, openRun, quickFolder } from "./leftovers.ts";
import { whatWasSkipped } from "./skipped.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A server on which databases may be created. */
    databaseServerUrl: string;
    /** A migrated, empty database. */
    templateDatabase: string;
    /** A folder of this run, removed at its end with what tests leave in it; what they leave elsewhere makes the run fail. */
    runFolder: string;
    /** The folder of what tests start as processes (bundle.ts). Null: it starts as shipped. */
    bundle: string | null;
    /** Whether this is a run of all tests outside .ci/run. */
    everyday: boolean;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { folder, runFolder } = openRun(quickFolder());
  const given = process.env.TEST_DATABASE_URL;
  const embedded = given === undefined ? await startServer(join(runFolder, "server")) : undefined;
  const serverUrl = given ?? embedded!.url;
  const template = `svc_template_${randomBytes(4).toString("hex")}`;
  await asAdmin(serverUrl, `create database ${template}`);
  const db = connect(withDatabase(serverUrl, template), { max: 2 });
  await migrate(db);
  await db.close();

  project.provide("databaseServerUrl", serverUrl);
  project.provide("templateDatabase", template);
  project.provide("runFolder", runFolder);
  const isWhole = runsAllFiles(project);
  const isEveryday = isWhole && !process.env.CI;
  project.provide("everyday", isEveryday);
  project.provide("bundle", isWhole ? await bundlePrograms(join(runFolder, "bundle")) : null);

  return async () => {
    for (const what of whatWasSkipped(runFolder)) console.warn(`NOT TESTED: ${what}`);
    if (!["console", "golden"].includes(project.name) && (await ranEverything(project))) failOnDifference(runFolder, isEveryday);
    if (embedded) {
      const { pid } = embedded;
      embedded.kill9(); // nothing of it is kept, so it needs no orderly end
      while (isRunning(pid)) await sleep(10); // what stop() removes belongs to a server that has ended
      await embedded.stop();
    } else await asAdmin(serverUrl, `drop database ${template} with (force)`);
    await failOnLeftovers(folder);
  };
}

function startServer(dataDir: string): Promise<Embedded> {
  const major = process.env.TEST_POSTGRES_MAJOR;
  const binaries = major === undefined ? undefined : findSystemPostgres(Number(major));
  if (major !== undefined && !binaries) throw new Error(`TEST_POSTGRES_MAJOR: no Postgres ${major} in /usr/lib/postgresql`);
  return startEmbedded({ dataDir, durable: false, ...(binaries ? { binaries } : {}) });
}

function runsAllFiles({ vitest }: TestProject): boolean {
  const { filenamePattern } = vitest as { filenamePattern?: string[] };
  return (filenamePattern ?? []).length === 0;
}

/** Of all files with that in their path. A run of chosen files or titles reaches few errors, and that says nothing. */
export async function ranEverything(project: TestProject, part = ""): Promise<boolean> {
  const all = await Promise.all(project.vitest.projects.map((each) => each.globTestFiles()));
  const ran = new Set(project.vitest.state.getPaths());
  const wanted = all.flatMap(({ testFiles }) => testFiles).filter((file) => file.includes(part));
  return project.config.testNamePattern === undefined && wanted.every((file) => ran.has(file));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

// A database of its own for a test or a file: a copy of the run's migrated template.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { Db } from "../../src/db/connect.ts";
import { findMissing } from "../../src/db/migrate.ts";

export interface TestDatabase {
  url: string;
  /** Removes it, even while clients are connected. */
  drop(): Promise<void>;
}

export function freshDatabase(): Promise<TestDatabase> {
  return createDatabase(`template ${inject("templateDatabase")} strategy file_copy`);
}

/** Without a table, for tests of migrations. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase("");
}

/** Whether migrating it would do nothing. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { migrations, functions } = await findMissing(db);
  return migrations.length + functions.length === 0;
}

/** Without a table, and of a role that may do nothing else on the server, as a managed Postgres gives one. */
export async function ownedDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("databaseServerUrl");
  const role = `svc_role_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const rights = "nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  await asAdmin(serverUrl, `create role ${role} login password '${password}' ${rights}`);
  const database = await createDatabase(`owner ${role}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  const drop = async () => {
    await database.drop();
    await asAdmin(serverUrl, `drop role ${role}`);
  };
  return { url: url.href, drop };
}

async function createDatabase(how: string): Promise<TestDatabase> {
  const serverUrl = inject("databaseServerUrl");
  const name = `svc_test_${randomBytes(6).toString("hex")}`;
  await asAdmin(serverUrl, `create database ${name} ${how}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(serverUrl, `drop database if exists ${name} with (force)`) };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

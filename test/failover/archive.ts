// Back to any moment, as docs/highly-available.md says: pgBackRest archives the WAL of the cluster, a backup is made under load, all three
// databases and etcd are destroyed, one machine restores a moment in the middle of the load, the others copy it, and `svc ledger compare --post`
// brings back what was charged since.
import { existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/eventually.ts";
import { askLedger, faultsOf } from "./books.ts";
import { type Call, startLoad } from "./client.ts";
import { type Machine, names } from "./cluster.ts";
import { pgbackrest, postgresBin, quitPostgres, runAsPostgres } from "./parts.ts";
import { good, unlogged, untilNothingIsHeld } from "./stage.ts";
import type { World } from "./world.ts";

/** Of deploy/ha in any folder: Postgres runs it in its data folder. */
const archiveCommand = "pgbackrest --config=$(realpath ../etc/pgbackrest.conf) --stanza=svc archive-push %p";
const prefix = "archive-";

export function whyNoArchive(): string | null {
  return existsSync(pgbackrest) ? null : `${pgbackrest} not installed (npm run tools:install -- failover)`;
}

/** What is wrong. */
export async function rehearseArchive(world: World): Promise<string[]> {
  const { cluster } = world;
  await cluster.whole();
  const leader = (await cluster.leader())!;
  const machine = cluster.machines[leader];
  await cluster.control("edit-config", "svc", "--quiet", "--force", "--pg", `archive_command=${archiveCommand}`);
  const isSet = async () =>
    (await world.query<{ now: string }>("select current_setting('archive_command') as now"))[0]!.now === archiveCommand;
  await until(isSet, "the leader archives", 60_000);
  await backRest(machine, "stanza-create");
  await backRest(machine, "check"); // ends the segment that nothing kept yet

  const load = startLoad({ url: world.url, keys: world.keys, prefix }, 9);
  await good(load);
  await backRest(machine, "backup", "--type=full");
  await good(load);
  const before = load.calls.filter(({ served }) => served).map(({ requestId }) => requestId);
  const [row] = await world.query<{ at: string }>("select clock_timestamp()::text as at");
  const moment = performance.now();
  await good(load);
  await load.stop();
  await backRest(machine, "check"); // begins a new segment, and waits until the one before is archived

  await destroy(world);
  await restore(machine, row!.at);
  await cluster.startEtcd();
  machine.patroni.start();
  await until(async () => (await cluster.leader()) === leader, "the restored Postgres leads", 60_000);
  for (const name of names) cluster.machines[name].patroni.start();
  await cluster.whole();

  const has = await charged(world, ["usage"]);
  const after = load.calls.filter(({ startedAt, kind }) => startedAt > moment && kind !== "image").map(({ requestId }) => requestId);
  const faults = [
    ...before.filter((id) => !has.has(id)).map((id) => `charged before the moment, and gone: ${id}`),
    ...after.filter((id) => has.has(id)).map((id) => `called after the moment, and there: ${id}`),
  ];
  return [...faults, ...(await bringBack(world, load.calls))];
}

/** On this machine, as the operator's page has it. */
function backRest({ folder }: Machine, ...words: string[]): Promise<string> {
  const etc = join(folder, "state", "etc");
  const command = [pgbackrest, `--config=${join(etc, "pgbackrest.conf")}`, "--stanza=svc", "--log-level-console=info", ...words];
  return runAsPostgres(command, folder, { PGPASSFILE: join(etc, "backup.pgpass") }).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}${error.stdout ?? ""}`);
  });
}

/** The gateways too: none may charge what is to be restored. */
async function destroy({ cluster, kill }: World): Promise<void> {
  await Promise.all(names.map(kill));
  const all = Object.values(cluster.machines);
  await Promise.all(all.flatMap(({ patroni, etcd }) => [patroni.end("SIGKILL"), etcd.end("SIGKILL")]));
  await Promise.all(all.map(({ data }) => quitPostgres(data)));
  for (const { folder, data } of all) for (const path of [data, join(folder, "state", "etcd")]) rmSync(path, { recursive: true });
}

/** Leaves a Postgres that has stopped, at that moment and on a timeline of its own. */
async function restore(machine: Machine, at: string): Promise<void> {
  const { folder, data } = machine;
  const state = join(folder, "state");
  const run = (...command: string[]) => runAsPostgres(command, folder, { PGPASSFILE: join(state, "etc", "backup.pgpass") });
  await run("mkdir", "-m", "700", data);
  await backRest(machine, "restore", "--type=time", `--target=${at}`, "--target-action=promote");
  const quiet = "-c listen_addresses='' -c synchronous_standby_names=''"; // nobody is to find it yet, and nobody could confirm
  await run(join(postgresBin, "pg_ctl"), "-D", data, "-w", "-l", join(folder, "restored.said"), "-o", quiet, "start");
  const port = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[3]!;
  const psql = [join(postgresBin, "psql"), "-h", state, "-p", port, "-U", "postgres", "-d", "postgres", "-Atc"];
  await until(async () => (await run(...psql, "select pg_is_in_recovery()")).trim() === "f", "the moment is reached", 60_000);
  await run(join(postgresBin, "pg_ctl"), "-D", data, "-w", "-m", "fast", "stop");
  truncateSync(join(data, "postgresql.auto.conf")); // the target: as a replica it would stop there
}

/** By the id of a call: what the ledger has for it in entries of these kinds. */
async function charged(world: World, kinds: readonly string[]): Promise<Map<string, bigint>> {
  const sql = "select id, sum(-amount)::bigint as cost from ledger_entry where kind = any($1) and id = any($2::uuid[]) group by id";
  const logged = new Map(world.readCharges().flatMap(({ id, request_id }) => (request_id.startsWith(prefix) ? [[id, request_id]] : [])));
  const rows = await world.query<{ id: string; cost: bigint }>(sql, [kinds, [...logged.keys()]]);
  return new Map(rows.map(({ id, cost }) => [logged.get(id)!, cost]));
}

/** Posts what the log of charges has and the ledger has not, and lets gateways end what was open at the moment. */
async function bringBack(world: World, calls: readonly Call[]): Promise<string[]> {
  const { compare } = await askLedger(world, "--post");
  for (const { env } of Object.values(world.cluster.machines)) await world.svcWith(env, "ledger", "accept");
  const from = performance.now();
  for (const name of names) await world.start(name);
  await untilNothingIsHeld(world, from);
  const costs = await charged(world, ["usage", "adjustment", "earned_adjustment"]);
  const served = calls.filter(({ served }) => served);
  const wrong = served.filter(({ requestId, cost }) => costs.get(requestId) !== cost);
  console.log(`archive: ${served.length} calls were served, of ${compare.posted} the charges were lost and posted again`);
  return [
    ...(compare.posted === 0 ? ["nothing was lost: the moment was the end"] : []),
    ...wrong.map(({ requestId, kind, cost }) => `the ledger has ${costs.get(requestId)} for ${requestId} (${kind}, ${cost})`),
    ...faultsOf(await askLedger(world), unlogged),
  ];
}

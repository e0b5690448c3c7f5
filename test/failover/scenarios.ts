// What happens to the cluster. Each does its harm, says when a new leader could be seen, waits until calls are good again, and mends what it
// broke.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/eventually.ts";
import { eventually } from "./eventually.ts";
import type { Name } from "./cluster.ts";
import { names } from "./cluster.ts";
import { postmasterOf, signalPostgres } from "./parts.ts";
import type { World } from "./world.ts";

export interface Scenario {
  name: string;
  title: string;
  /** In `.ci/run`. */
  quick?: true;
  /** The standby that is promoted lacks what the leader had confirmed. */
  loses?: true;
  /** Needs disks of the machines' own. */
  fills?: true;
  run(stage: Stage): Promise<void>;
}

export interface Stage {
  world: World;
  /** From here on times are counted. */
  harm(): void;
  /** Waits for another leader than this. */
  newLeader(old: Name): Promise<Name>;
  /** Where the leader stays: from here on it can serve again. */
  mended(): void;
  /** Calls have been served for seconds, and none has failed. */
  good(): Promise<void>;
  /** Of the last calls of this gateway the line in the log of charges may be missing. */
  mayMissInLog(gateway: Name): void;
}

const data = (world: World, name: Name) => world.cluster.machines[name].data;

async function leaderOf({ cluster }: World): Promise<Name> {
  const leader = await cluster.leader();
  if (leader === null) throw new Error("there is no leader");
  return leader;
}

/** On a busy machine Patroni may be without one for a moment, also beside a leader that works. */
const standbyOf = ({ cluster }: World): Promise<Name> =>
  eventually(async () => {
    const standby = await cluster.synchronous();
    if (standby === null) throw new Error("there is no synchronous standby");
    return standby;
  }, 60_000);

/** Its Patroni and every process of its Postgres: what a machine that loses power does to them. */
async function killDatabase(world: World, name: Name): Promise<void> {
  const killed = world.cluster.machines[name].patroni.end("SIGKILL");
  signalPostgres(data(world, name), "SIGKILL");
  await killed;
}

function freeze(world: World, name: Name, signal: "SIGSTOP" | "SIGCONT"): void {
  world.cluster.machines[name].patroni.signal(signal);
  signalPostgres(data(world, name), signal);
}

export const scenarios: readonly Scenario[] = [
  {
    name: "switchover",
    title: "`patronictl switchover` to the synchronous standby",
    quick: true,
    async run({ world, harm, newLeader, good }) {
      const [leader, standby] = [await leaderOf(world), await standbyOf(world)];
      harm();
      const done = world.cluster.control("switchover", "--leader", leader, "--candidate", standby, "--force");
      await Promise.all([done, newLeader(leader)]);
      await good();
    },
  },
  {
    name: "leader",
    title: "the leader's Patroni and Postgres: `kill -9`",
    quick: true,
    async run({ world, harm, newLeader, good }) {
      const leader = await leaderOf(world);
      harm();
      await killDatabase(world, leader);
      await newLeader(leader);
      await good();
      world.cluster.machines[leader].patroni.start();
    },
  },
  {
    name: "machine",
    title: "the leader's whole machine: `kill -9` of etcd, Patroni, Postgres, HAProxy, PgBouncer and its gateway",
    async run({ world, harm, newLeader, good, mayMissInLog }) {
      const leader = await leaderOf(world);
      const { etcd, patroni, haproxy, pgbouncer } = world.cluster.machines[leader];
      mayMissInLog(leader);
      harm();
      await Promise.all([
        killDatabase(world, leader),
        world.kill(leader),
        ...[etcd, haproxy, pgbouncer].map((part) => part.end("SIGKILL")),
      ]);
      await newLeader(leader);
      await good();
      for (const part of [etcd, patroni, haproxy, pgbouncer]) part.start();
      await eventually(() => world.start(leader), 30_000); // until its HAProxy knows the leader; systemd would start it again as well
      await good();
    },
  },
  {
    name: "postgres",
    title: "the leader's Postgres alone: `kill -9`, its Patroni lives",
    async run({ world, harm, good }) {
      const postmaster = postmasterOf(data(world, await leaderOf(world)));
      harm();
      process.kill(postmaster!, "SIGKILL");
      await good();
    },
  },
  {
    name: "standby",
    title: "the synchronous standby stands still: `SIGSTOP` of its Patroni and Postgres",
    quick: true,
    async run({ world, harm, good }) {
      const standby = await standbyOf(world);
      harm();
      freeze(world, standby, "SIGSTOP");
      try {
        await until(async () => ![null, standby].includes(await world.cluster.synchronous()), "the other replica confirms", 60_000);
        await good();
      } finally {
        freeze(world, standby, "SIGCONT");
      }
    },
  },
  {
    name: "partition",
    title: "the leader's machine is cut off from the others, with its own etcd, and comes back",
    async run({ world, harm, newLeader, good }) {
      const leader = await leaderOf(world);
      const { machines } = world.cluster;
      const { cable, toEtcd, etcd } = machines[leader];
      const others = names.filter((name) => name !== leader);
      const wires = [cable, ...others.map((name) => toEtcd[name])];
      harm();
      for (const wire of wires) wire.cut();
      // It would still reach the others, whose cables are whole.
      etcd.signal("SIGSTOP");
      // What a leader without etcd asks the other Patronis, whether it may stay: nobody else sends it.
      for (const name of others) machines[name].cable.refuse("POST /failsafe");
      try {
        await newLeader(leader);
        await good();
      } finally {
        for (const wire of wires) wire.restore();
        etcd.signal("SIGCONT");
        for (const name of others) machines[name].cable.refuse(null);
      }
      // Its etcd still says that it leads, until it has heard what was decided without it.
      await good();
      await world.cluster.whole();
      if ((await world.cluster.leader()) === leader) throw new Error("the former leader took the lead back from its successor");
    },
  },
  {
    name: "etcd",
    title: "all three etcd: `kill -9`, for 25 s",
    async run({ world, harm, good }) {
      const leader = await leaderOf(world);
      harm();
      const parts = names.map((name) => world.cluster.machines[name].etcd);
      await Promise.all(parts.map((part) => part.end("SIGKILL")));
      await sleep(25_000);
      if ((await world.cluster.leader()) !== leader) throw new Error("without etcd the leader did not stay");
      for (const part of parts) part.start();
      await good();
    },
  },
  {
    name: "disk",
    title: "the leader's disk is full, and has room again after 15 s",
    quick: true,
    fills: true,
    async run({ world, harm, mended, good }) {
      const machine = world.cluster.machines[await leaderOf(world)];
      harm();
      machine.disk!.fill();
      try {
        await sleep(15_000);
      } finally {
        machine.disk!.free();
      }
      mended();
      machine.etcd.start(); // it ends where it can't write; systemd would have started it
      await good();
    },
  },
  {
    name: "full",
    title: "the leader's disk stays full: `kill -9` of its Patroni and Postgres after 10 s",
    fills: true,
    async run({ world, harm, newLeader, good }) {
      const leader = await leaderOf(world);
      const machine = world.cluster.machines[leader];
      harm();
      machine.disk!.fill();
      try {
        await sleep(10_000);
        await killDatabase(world, leader);
        await newLeader(leader);
        await good();
      } finally {
        machine.disk!.free();
      }
      machine.etcd.start();
      machine.patroni.start();
    },
  },
  {
    name: "gateway",
    title: "a gateway: `kill -9`",
    quick: true,
    async run({ world, harm, good, mayMissInLog }) {
      mayMissInLog("b");
      harm();
      await world.kill("b");
      await good();
      await world.start("b");
      await good();
    },
  },
  {
    name: "asynchronous",
    title: "asynchronous replication, both replicas 2 s behind, the leader: `kill -9`",
    loses: true,
    async run({ world, harm, newLeader, good }) {
      const leader = await leaderOf(world);
      const { cable } = world.cluster.machines[leader];
      await world.cluster.change({ synchronous_mode: false });
      await until(async () => (await world.cluster.synchronous()) === null, "nobody has to confirm", 30_000);
      await sleep(6_000); // the leader's next round tells Postgres
      cable.mute("replicator");
      await sleep(2_000);
      harm();
      await killDatabase(world, leader);
      cable.restore();
      await newLeader(leader);
      await good();
      world.cluster.machines[leader].patroni.start();
      await world.cluster.change({ synchronous_mode: true });
    },
  },
];

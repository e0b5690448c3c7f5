// What every benchmark of the gateway stands on: a folder, a durable Postgres, the mock upstream and the load generator, all on the
// second core, so that the first is the target's alone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "../../src/db/embedded.ts";
import type { GroupResult, LoadGroup } from "./load/spec.ts";
import type { Delivered } from "./mock/upstream.ts";
import { canPin, cpuUsOf, cpuUsOfAll, endChildren, pin, startChild } from "./processes.ts";

export const targetCore = 0;
export const otherCore = 1;

export interface Ground {
  /** Removed at the end. */
  folder: string;
  mockUrl: string;
  /** A file of its own for what a process says: an inspector's address is found there. */
  newLog(name: string): string;
  /** A new database on the one server. */
  createDatabase(name: string): Promise<string>;
  /** The groups side by side, until all have ended. */
  load(groups: LoadGroup[]): Promise<GroupResult[]>;
  /** What the mock delivered to this target so far. */
  deliveredTo(target: string): Promise<Delivered>;
  /** Microseconds of processor time so far. */
  cpu(): { postgres: number; load: number; mock: number };
  close(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  if (canPin) pin(process.pid, otherCore); // what it starts inherits it
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const embedded = await startEmbedded({ dataDir: folder, durable: true });
  pin(embedded.pid, otherCore); // somebody else's process may have started it
  const mock = await startChild(["test/bench/mock/upstream.ts"], /^(\d+)\n/, { core: otherCore });
  const generator = await startChild(["test/bench/load/generator.ts"], /load ready/, { core: otherCore, channel: true });
  const mockUrl = `http://127.0.0.1:${mock.found}`;
  let logs = 0;
  return {
    folder,
    mockUrl,
    newLog: (name) => join(folder, `${name}-${++logs}.log`),
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: embedded.url });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      const url = new URL(embedded.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    load(groups) {
      return new Promise((resolve, reject) => {
        const failed = () => reject(new Error("the load generator ended"));
        generator.process.once("exit", failed);
        generator.process.once("message", (results) => {
          generator.process.off("exit", failed);
          resolve(results as GroupResult[]);
        });
        generator.process.send(groups);
      });
    },
    async deliveredTo(target) {
      const all = (await (await fetch(`${mockUrl}/counts`)).json()) as Record<string, Delivered>;
      return all[target] ?? { requests: 0, prompt: 0, completion: 0, broken: 0 };
    },
    cpu: () => ({ postgres: cpuUsOfAll(embedded.pid), load: cpuUsOf(generator.pid), mock: cpuUsOf(mock.pid) }),
    async close() {
      await endChildren();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

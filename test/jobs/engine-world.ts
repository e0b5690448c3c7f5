// A database, a simulator and the engines that a test starts: they stop after it, and everything adds up then.
import { afterAll, afterEach, beforeAll } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { newAccount } from "../ledger/new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Engine, type EngineOptions, type Models, startEngine } from "./engine.ts";
import { type Ask, expectClean, submit } from "./job-rows.ts";

export interface EngineWorld {
  readonly db: Db;
  readonly simulator: Simulator;
  start(models: Models, options?: Partial<EngineOptions>): Promise<Engine>;
  /** A job of a new account with money, of 0.01 USD where nothing is said. */
  place(ask?: Partial<Ask>): Promise<string>;
}

export function engineWorld(): EngineWorld {
  let database: TestDatabase;
  let db: Db;
  let simulator: Simulator;
  let engines: Engine[] = [];
  beforeAll(async () => {
    database = await freshDatabase();
    db = connect(database.url, { max: 8 });
    simulator = await startSimulator();
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.stop(0)));
    engines = [];
    simulator.reset();
    await expectClean(db);
  });
  afterAll(async () => {
    await db.close();
    await simulator.close();
    await database.drop();
  });
  return {
    get db() {
      return db;
    },
    get simulator() {
      return simulator;
    },
    async start(models, options = {}) {
      const engine = await startEngine({ db, simulatorUrl: simulator.url, models, ...options });
      engines.push(engine);
      return engine;
    },
    async place(ask = {}) {
      const accountId = await newAccount(db, { deposit: 5_000_000_000n });
      return (await submit(db, { accountId, estimated: 1_000_000n, ...ask })).id;
    },
  };
}

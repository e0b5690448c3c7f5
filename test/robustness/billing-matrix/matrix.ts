// The cells of some endpoints as tests: all on one gateway, many at once, each with an account of its own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCatalog } from "../../../src/catalog/load.ts";
import { openAdapters } from "../../../src/providers/adapters.ts";
import { connectUpstreams } from "../../../src/providers/transport/http.ts";
import type { Upstream } from "../../../src/providers/transport/types.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { catalogOf, cloudEnvironment, decisionsModel, planned } from "./catalog.ts";
import { endpoints, exclusionOf, type Kind, nameOf, product } from "./cells.ts";
import { runCell } from "./run-cell.ts";

const cellsAtOnce = 16;

export function testMatrix(kinds: readonly Kind[]): void {
  const all = product(endpoints.filter(({ kind }) => kinds.includes(kind)));
  const plans = all.filter((cell) => exclusionOf(cell) === undefined).map(planned);
  const ran = new Set<string>();
  let gateway: Gateway;
  let upstreams: Upstream;
  const take = slots(plans.some(({ model }) => model === decisionsModel) ? 1 : cellsAtOnce);

  beforeAll(async () => {
    const [first] = plans;
    gateway = await startGateway({ catalog: catalogOf(first?.model === decisionsModel ? [first] : plans), env: cloudEnvironment });
    // A provider's own timeout then applies in mid-stream, where the minimum is otherwise a minute.
    upstreams = connectUpstreams({ idleMs: 0 });
    gateway.context.providers = openAdapters(upstreams, gateway.context.media);
  });
  afterAll(async () => {
    await upstreams.close();
    await gateway.stop();
  });

  const results = new Map<string, Promise<void>>();
  const resultOf = (name: string) => {
    if (results.size === 0)
      for (const plan of plans) {
        const result = take(async () => {
          if (plan.model === decisionsModel) {
            // There is one decisions model in a catalog: a catalog a cell, one cell at a time.
            const { environment } = gateway.context.config;
            const text = catalogOf([plan]);
            gateway.context.catalog = loadCatalog({ text, environment, simulatorUrl: gateway.simulator.url }).catalog;
          }
          await runCell(gateway, plan);
        });
        result.catch(() => undefined); // told by the cell's own test
        results.set(nameOf(plan.cell), result);
      }
    return results.get(name);
  };

  describe("every cell has its exact charge in every book", () => {
    test.each(plans.map(({ cell }) => nameOf(cell)))("%s", async (name) => {
      ran.add(name);
      await resultOf(name);
    });
  });

  test("what ran is the whole product, less what is excluded with a reason", () => {
    const excluded = all.filter((cell) => exclusionOf(cell) !== undefined).map(nameOf);
    expect([...ran, ...excluded].toSorted()).toEqual(all.map(nameOf).toSorted());
  });

  test("the audit is clean: no reservation is open, no upstream call either", async () => {
    expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [], accounts: plans.length });
    expect(gateway.context.ledger.inFlight()).toBe(0);
    await expect.poll(() => gateway.simulator.calls().filter(({ outcome }) => outcome === "open")).toEqual([]);
  });
}

/** At most so many pieces of work at once, in order. */
function slots(atOnce: number): (work: () => Promise<void>) => Promise<void> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

// The client disconnects: at each phase of a call, streamed and not (docs/behaviour/streams.md#disconnects, billing.md#ends).
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageLogRow } from "../../src/ledger/usage-log.ts";
import { until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { catalogText } from "./catalog.ts";
import { leaveAfter, openChat, promptTokens } from "./chat-client.ts";

interface Cell {
  phase: string;
  /** The upstream id: its directives hold the call in this phase. */
  upstream: string;
  stream: boolean;
  /** Leaves after so many records of the answer; null: before its head, once the upstream has the call. */
  records: number | null;
  charged: { input: number; output: number; estimated: boolean };
  /** Absent: the upstream is told to stop. */
  readOn?: true;
  maxTokens?: number;
}

const counted = (output: number) => ({ input: promptTokens, output, estimated: true });
// The simulator's stream: a record with the role, one a token, the finish reason, usage, [DONE].
const cells: Cell[] = [
  { phase: "before headers, the upstream silent", upstream: "hang+sim-hang", stream: true, records: null, charged: counted(0) },
  { phase: "before headers, the upstream thinking", upstream: "slow+sim-slow-60000ms", stream: true, records: null, charged: counted(0) },
  {
    phase: "before the first token, the upstream's stream open",
    upstream: "role+sim-stall-after-1",
    stream: true,
    records: null,
    charged: counted(0),
  },
  { phase: "after the head, before the first token", upstream: "late+sim-stall-after-1", stream: true, records: 0, charged: counted(0) },
  { phase: "mid-stream", upstream: "mid+sim-stall-after-6+sim-tokens-40", stream: true, records: 6, charged: counted(5) },
  {
    phase: "mid-stream, reasoning only",
    upstream: "thinks+sim-reasoning-tokens-30+sim-stall-after-9",
    stream: true,
    records: 9,
    charged: counted(8),
  },
  {
    phase: "mid-stream, the upstream says its usage as it goes",
    upstream: "measured+sim-usage-every-chunk+sim-stall-after-6+sim-prompt-tokens-31",
    stream: true,
    records: 6,
    charged: { input: 31, output: 5, estimated: false },
  },
  {
    phase: "mid-stream, a long one that flows",
    upstream: "flows+sim-pace-2ms+sim-tokens-50000",
    stream: true,
    records: 40,
    charged: counted(-1),
  },
  {
    phase: "after the last content",
    upstream: "content+sim-tokens-12+sim-stall-after-13",
    stream: true,
    records: 13,
    charged: counted(12),
  },
  {
    phase: "after the finish reason, before usage that never comes",
    upstream: "finish+sim-tokens-12+sim-stall-after-14",
    stream: true,
    records: 14,
    charged: counted(12),
  },
  {
    phase: "after the finish reason, before usage",
    upstream: "said+sim-tokens-12+sim-usage-late+sim-pace-100ms",
    stream: true,
    records: 14,
    charged: { input: 7, output: 12, estimated: false },
    readOn: true,
  },
  {
    phase: "mid-stream, more measured than was reserved",
    upstream: "dear+sim-usage-every-chunk+sim-completion-tokens-9000+sim-stall-after-4",
    stream: true,
    records: 4,
    maxTokens: 10,
    charged: { input: -1, output: 9000, estimated: false },
  },
  {
    phase: "before headers, the upstream thinking",
    upstream: "whole+sim-slow-5000ms+sim-tokens-12",
    stream: false,
    records: null,
    charged: { input: 7, output: 12, estimated: false },
    readOn: true,
  },
];

const nameOf = ({ upstream }: Cell) => upstream.split("+")[0]!;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    catalog: catalogText("simulator:", Object.fromEntries(cells.map((cell) => [nameOf(cell), cell.upstream]))),
  });
});
afterAll(async () => {
  await gateway.stop();
});

const upstreamCall = ({ upstream }: Pick<Cell, "upstream">) => gateway.simulator.calls().find(({ model }) => model === upstream);

async function logOf({ accountId }: TestAccount): Promise<UsageLogRow[]> {
  return (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where account_id = $1", [accountId])).rows;
}

describe("a client that disconnects", () => {
  test.concurrent.each(cells)(
    "$phase (streamed: $stream): the upstream call ends, the prompt and what was received are charged, no hold stays",
    async (cell) => {
      const account = await gateway.createAccount({ deposit: "10" });
      const call = openChat({
        url: gateway.url,
        key: account.key,
        model: `demo/${nameOf(cell)}`,
        stream: cell.stream,
        ...(cell.maxTokens === undefined ? {} : { maxTokens: cell.maxTokens }),
      });
      if (cell.records === null) {
        await until(() => upstreamCall(cell) !== undefined, "the upstream has the call");
        await sleep(150); // the simulator's part of the answer is on its way
        expect((await gateway.balance(account)).reserved).toBeGreaterThan(0);
        call.destroy();
      } else await leaveAfter(call, cell.records);

      const end = cell.readOn ? "answered" : "aborted";
      await until(() => upstreamCall(cell)?.outcome === end, "the upstream call has ended");
      await until(async () => (await logOf(account)).length > 0, "the request is logged");
      const [row, ...others] = await logOf(account);
      expect(others).toEqual([]);
      const { charged } = cell;
      expect(row).toMatchObject({ status: "aborted", http_status: 499, stream: cell.stream, estimated: charged.estimated });
      const [shown] = (await gateway.request("GET", "/v1/auth/usage/logs", { key: account.key })).json.data;
      expect(shown).toMatchObject({ status: "success", aborted: true, http_status: 499 });
      expect(shown.estimated).toBe(charged.estimated && BigInt(row!.cost) > 0n ? true : undefined);
      expect(await gateway.balance(account)).toMatchObject({ reserved: 0 });
      expectCharge(row!, charged);
      expect(Math.round((await gateway.balance(account)).spent * 1e8)).toBe(Number(row!.cost));
    },
  );

  test("leaves no upstream call open, and the audit is clean", async () => {
    const open = gateway.simulator.calls().filter(({ outcome }) => outcome === "open");
    expect(open).toEqual([]);
    expect(await gateway.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
    expect(gateway.context.ledger.inFlight()).toBe(0);
  });
});

/** 100 and 200 units a token; -1 stands for a figure that the race between client and upstream decides. */
function expectCharge(row: UsageLogRow, charged: Cell["charged"]): void {
  const [input, output, cost, reserved] = [row.input_tokens, row.output_tokens, row.cost, row.reserved].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (charged.output === -1) {
    expect(output).toBeGreaterThanOrEqual(39); // what the client has read
    expect(output).toBeLessThan(5_000); // not what the upstream would have said
  } else expect(output).toBe(charged.output);
  if (charged.input !== -1) expect(input).toBe(charged.input);
  const exact = input * 100 + output * 200;
  expect(cost).toBe(charged.estimated ? Math.min(exact, reserved) : exact);
}

// A thousand accounts in turn instead of one: every batch of the ledger and of the limits then touches many rows.
import { runClosed } from "./closed.ts";
import { chat } from "./shapes.ts";
import type { Scenario } from "./types.ts";

const connections = 64;

export const manyAccounts: Scenario = {
  name: "accounts-1000",
  title: `non-stream chat, ${connections} connections, 1,000 accounts in turn (chat-64: one hot account)`,
  async run(bench) {
    const target = bench.wanted("ours") ? await bench.fleet.fresh("ours", { accounts: 1_000 }) : null;
    const targets = target === null ? [] : [target];
    const result = await runClosed(bench, targets, "request", (ms) => chat({ connections, loop: { kind: "closed", ms } }));
    await bench.checkAndStop(targets);
    return result;
  },
};

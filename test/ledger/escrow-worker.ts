// A process that calls without end, out of slices, for tests that kill or stop it. Prints what each acknowledged call was charged as a line.
import { setTimeout as sleep } from "node:timers/promises";
import { openProcess, quickTimes } from "./escrow-process.ts";

const [url, accountId, keyId, want] = process.argv.slice(2) as [string, string, string, string];
const one = await openProcess(url, () => undefined, { times: quickTimes });
const calling = {
  ...{ accountId: BigInt(accountId), keyId: BigInt(keyId), want: BigInt(want) },
  cost: () => 1n + BigInt(Math.floor(Math.random() * Number(want))),
  onCharged: (cost: bigint) => process.stdout.write(`${cost}\n`),
};
await Promise.all(
  Array.from({ length: 24 }, async () => {
    for (;;) if (!(await one.call(calling).catch(() => false))) await sleep(20);
  }),
);

// After a run: whether the books agree and nothing is left open, whether the log tells of a fault, and how large the gateway has grown.
import { setTimeout as sleep } from "node:timers/promises";
import type { LogLine, World } from "./world.ts";

interface Audit {
  accounts: number;
  entries: number;
  holds_open: number;
  reservations_open: number;
  mismatches: unknown[];
}

interface Found {
  money: string;
  log: string;
  memory: string;
  faults: string[];
}

/** Jobs that still ran at the end of the requests end meanwhile. */
const settlingMs = 90_000;
/** A process that has seen everything has some 600 MB, half of it V8's reserve; one that keeps what it saw has no bound. */
const memoryMaxMb = 1_200;

export async function inspect(world: World, memoryBefore: number): Promise<Found> {
  const audit = await settledAudit(world);
  const lines = world.log();
  const warnings = lines.filter((line) => !isMail(line));
  const failed = lines.filter((line) => (line.level >= 50 && !isInventedPayment(line)) || Number(line.status) >= 500);
  const memory = world.memoryMb();
  const faults = [
    ...(audit.mismatches.length > 0 ? [`the books don't agree: ${JSON.stringify(audit.mismatches)}`] : []),
    ...(audit.holds_open + audit.reservations_open > 0
      ? [`${audit.holds_open} holds and ${audit.reservations_open} reservations are left open`]
      : []),
    ...failed.slice(0, 20).map((line) => `in the log: ${JSON.stringify(line)}`),
    ...(memory > memoryMaxMb ? [`the gateway has grown to ${memory} MB`] : []),
  ];
  return {
    money: `${audit.accounts} accounts, ${audit.entries} entries, ${audit.mismatches.length} mismatches; ${audit.holds_open} holds and ${audit.reservations_open} reservations open`,
    log: `${warnings.length} warnings${kindsOf(warnings)}, ${failed.length} faults; ${lines.length - warnings.length} mails`,
    memory: `${memoryBefore} MB before, ${memory} MB after`,
    faults,
  };
}

async function settledAudit(world: World): Promise<Audit> {
  for (const giveUpAt = performance.now() + settlingMs; ;) {
    const audit = (await world.svc("ledger", "audit")) as unknown as Audit;
    if (audit.holds_open + audit.reservations_open === 0 || performance.now() > giveUpAt) return audit;
    await sleep(1_000);
  }
}

function isMail({ mail }: LogLine): boolean {
  return mail !== undefined;
}

/** The requests sign payment events that no provider would send; the gateway refuses each and tells its operator, as it should. */
function isInventedPayment({ msg }: LogLine): boolean {
  return String(msg).startsWith("a payment event can't be applied");
}

/** What the warnings say, each once. */
function kindsOf(lines: LogLine[]): string {
  const kinds = [...new Set(lines.map(({ msg }) => String(msg)))];
  return kinds.length === 0 ? "" : ` (${kinds.join("; ")})`;
}

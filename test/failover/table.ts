// docs/failover.md: what the last written run measured.
import type { Result } from "./stage.ts";

const text = (seconds: number | null) => (seconds === null ? "-" : `${seconds} s`);

export function rowsOf(results: readonly Result[]): string {
  const head =
    "| what happened | new leader | last call that failed began | served again | failed calls | slowest answer | charged, no answer | lost | nothing held |";
  const rows = results.map(({ scenario, books, ...one }) => {
    const cells = [
      ...[scenario.title, text(one.newLeader), text(one.failingUntil), text(one.servedAgain)],
      ...[`${books.failed} of ${books.served + books.failed}`, text(one.slowest), causes(books.named)],
      ...[scenario.loses ? `${one.posted}, posted again` : String(books.uncharged.length), text(one.holdsGone)],
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [head, "|---|---|---|---|---|---|---|---|---|", ...rows].join("\n");
}

function causes(named: Result["books"]["named"]): string {
  const counts = Map.groupBy(named, ({ cause }) => cause);
  return counts.size === 0 ? "0" : [...counts].map(([cause, some]) => `${some.length} (${cause})`).join(", ");
}

export function pageOf(results: readonly Result[], machine: string): string {
  return `# Failover, as it was measured

Written by \`SVC_FAILOVER=write npm run test:failover\`, which runs the cluster of \`deploy/ha\` on one machine: three etcd, three Patroni with
Postgres, and for each a HAProxy, a PgBouncer and a gateway, behind one nginx by the file of \`deploy/nginx\`. ${machine} The disks
are in memory, where this can be mounted. Times are seconds after the harm was done; they depend on the machine.
How to build such a cluster: [highly-available.md](highly-available.md).

${rowsOf(results)}

- **new leader**: Patroni says so on another machine. A dash: the leader stayed. Calls must be good within 3 s of it, or of the end of what
  was done to a leader that stays; longer only where the machine is so busy that calls take longer than ever.
- **last call that failed began**, **served again**: between the two, the first call that was served from then on. A dash: no call failed.
- **failed calls**: those without a whole answer, before, during and after. Nine clients call without a pause, and wait 0.15 s after a failure.
- **slowest answer**: of the calls that were served, from their beginning; a charge waits for the standby rather than being lost.
- **charged, no answer**: calls that are charged though the client has no answer, each with its cause in the client's books, in nginx's log or in a
  gateway's.
- **lost**: answers that were served and are missing in the ledger. Where replication is synchronous there must be none.
  \`svc ledger compare --post\` found those of the asynchronous failover in the log of charges and posted them.
- **nothing held**: after the last call, until no reservation and no job was open.

After each: every answer that was served is charged once, at the cost that it named; \`svc ledger audit\`, \`svc ledger verify\` and
\`svc ledger compare\` agree.

After the last, \`svc backup\` of the cluster is restored into an empty database, and the whole cluster is destroyed and goes back to a moment in the
middle of a load by pgBackRest ([every moment](highly-available.md#every-moment-wal-archiving)): what was charged before the moment is there, what came
after it is posted again.
`;
}

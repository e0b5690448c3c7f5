// What operators took out of use for a while: a provider, or one of its routes. Each process holds it in memory, so that no call asks the
// database, and reads it again when it hears of a change.
import type { Clock } from "../clock.ts";
import type { Queries } from "../db/connect.ts";

/** The channel of NOTIFY that says that something was disabled or enabled. */
export const disabledChannel = "disabled_route";

export interface DisabledRow {
  provider: string;
  /** The provider's id of the model; empty: all its routes. */
  model: string;
  until: Date;
  reason: string;
  disabledBy: string;
  disabledAt: Date;
}

interface DisabledRoutes {
  /** `routeId`: provider/upstream model. */
  isDisabled(routeId: string): boolean;
  /** Reads what is disabled now; tries again by itself until it could. */
  refresh(): Promise<void>;
  close(): void;
}

interface Watching {
  clock: Clock;
  onFault: (error: unknown, what: string) => void;
  againMs?: number;
}

export function openDisabledRoutes(db: Queries, { clock, onFault, againMs = 1_000 }: Watching): DisabledRoutes {
  let until: ReadonlyMap<string, number> = new Map();
  let again: NodeJS.Timeout | undefined;
  let asked = 0;
  const refresh = async (): Promise<void> => {
    const mine = ++asked;
    clearTimeout(again);
    try {
      const rows = await readDisabled(db, clock());
      // A later reading may have been answered first.
      if (mine === asked) until = new Map(rows.map(({ provider, model, until: end }) => [idOf(provider, model), end.getTime()]));
    } catch (error) {
      onFault(error, "reading which routes are disabled");
      if (mine === asked) again = setTimeout(() => void refresh(), againMs).unref();
    }
  };
  const isNow = (id: string) => (until.get(id) ?? 0) > clock().getTime();
  return {
    isDisabled: (routeId) => until.size > 0 && (isNow(routeId) || isNow(idOf(routeId.slice(0, routeId.indexOf("/")), ""))),
    refresh,
    close() {
      asked++;
      clearTimeout(again);
    },
  };
}

/** No route has the id of a whole provider: an upstream's model is never empty. */
function idOf(provider: string, model: string): string {
  return `${provider}/${model}`;
}

/** Bounded by the routes of the catalog, for which alone a row is written. */
export async function readDisabled({ pool }: Queries, at: Date): Promise<DisabledRow[]> {
  const { rows } = await pool.query<DisabledRow>(
    `select provider, model, until, reason, disabled_by as "disabledBy", disabled_at as "disabledAt"
     from disabled_route where until > $1 order by provider, model`,
    [at],
  );
  return rows;
}

/** Within a transaction, with what it was before; null: it was in use. */
export async function writeDisabled({ pool }: Queries, row: DisabledRow): Promise<DisabledRow | null> {
  const before = await takeDisabled({ pool }, row, row.disabledAt);
  // Those whose time is over are not needed.
  await pool.query("delete from disabled_route where until <= $1", [row.disabledAt]);
  await pool.query(
    `insert into disabled_route (provider, model, until, reason, disabled_by, disabled_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (provider, model) do update set until = excluded.until, reason = excluded.reason, disabled_by = excluded.disabled_by,
       disabled_at = excluded.disabled_at`,
    [row.provider, row.model, row.until, row.reason, row.disabledBy, row.disabledAt],
  );
  return before;
}

/** Within a transaction: uses it again. Null: it was in use. */
export async function takeDisabled({ pool }: Queries, of: Pick<DisabledRow, "provider" | "model">, at: Date): Promise<DisabledRow | null> {
  const { rows } = await pool.query<DisabledRow>(
    `delete from disabled_route where provider = $1 and model = $2
     returning provider, model, until, reason, disabled_by as "disabledBy", disabled_at as "disabledAt"`,
    [of.provider, of.model],
  );
  await pool.query("select pg_notify($1, '')", [disabledChannel]);
  const [before] = rows;
  return before !== undefined && before.until > at ? before : null;
}

// What is asked of the database by a pool, transactions included; and a statement's plan in a few lines.
import type pg from "pg";
import type { Db } from "../../src/db/connect.ts";

export interface Statement {
  text: string;
  values: unknown[] | undefined;
  ms: number;
}

type Query = (...words: unknown[]) => Promise<unknown>;

/** Every statement from now on, with the time that it took. */
export function watchStatements({ pool }: Db): Statement[] {
  const seen: Statement[] = [];
  const watched =
    (query: Query): Query =>
    async (...words) => {
      const began = performance.now();
      const answer = await query(...words);
      const [asked, given] = words as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
      const [text, values] = typeof asked === "string" ? [asked, given] : [asked.text, asked.values ?? given];
      seen.push({ text, values, ms: performance.now() - began });
      return answer;
    };
  pool.query = watched(pool.query.bind(pool) as Query) as never;
  const connect = pool.connect.bind(pool) as (...words: unknown[]) => Promise<pg.PoolClient>;
  pool.connect = ((...words: unknown[]) => (words.length > 0 ? connect(...words) : connectWatched())) as never; // the pool's own queries have a callback
  const connectWatched = async () => {
    const client = await connect();
    const query = client.query.bind(client) as Query;
    const once = watched(query);
    client.query = ((...words: unknown[]) => (typeof words.at(-1) === "function" ? query(...words) : once(...words))) as never;
    const release = client.release.bind(client);
    client.release = (error) => {
      client.query = query as never;
      release(error);
    };
    return client;
  };
  return seen;
}

export interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Function Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
}

const linesMax = 24;

export interface Planned {
  pages: number;
  /** The node that touches most by itself. */
  most: { name: string; rows: number };
  lines: string[];
}

/** Its nodes that did something: rows of all loops, and pages of 8 KB with those of the nodes below. */
export async function planOf({ pool }: Db, { text, values }: Statement): Promise<Planned> {
  const { rows } = await pool.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `explain (analyze, buffers, costs off, timing off, format json) ${text}`,
    values,
  );
  const plan = rows[0]!["QUERY PLAN"][0]!.Plan;
  const lines = linesOf(plan, "");
  const shown = lines.length > linesMax ? [...lines.slice(0, linesMax), `and ${lines.length - linesMax} more`] : lines;
  const { node } = nodesOf(plan).reduce((one, other) => (other.own > one.own ? other : one));
  return { pages: pagesOf(plan), most: { name: nameOf(node), rows: rowsOf(node) + passedOver(node) }, lines: shown };
}

/** With the pages that each touches beside those below it. */
function nodesOf(plan: Plan): { node: Plan; own: number }[] {
  const below = plan.Plans ?? [];
  return [{ node: plan, own: pagesOf(plan) - below.reduce((sum, node) => sum + pagesOf(node), 0) }, ...below.flatMap(nodesOf)];
}

const pagesOf = (plan: Plan) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
const rowsOf = (plan: Plan) => Math.round(plan["Actual Rows"] * plan["Actual Loops"]);
const passedOver = (plan: Plan) => Math.round((plan["Rows Removed by Filter"] ?? 0) * plan["Actual Loops"]);

function nameOf({ "Node Type": node, "Relation Name": relation, "Index Name": index, "Function Name": called }: Plan): string {
  const on = [index, relation, called].filter((name) => name !== undefined).join(" of ");
  return `${node}${on === "" ? "" : ` ${on}`}`;
}

function linesOf(plan: Plan, indent: string): string[] {
  if (plan["Actual Loops"] === 0) return [];
  const removed = passedOver(plan);
  const own = `${indent}${nameOf(plan)}: ${rowsOf(plan)} rows${removed > 0 ? `, ${removed} passed over` : ""}, ${pagesOf(plan)} pages`;
  return [own, ...(plan.Plans ?? []).flatMap((below) => linesOf(below, `${indent}  `))];
}

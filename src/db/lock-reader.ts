// Which tables a migration locks and what it does to them, read from its SQL: what our migrations are made of, not all that Postgres knows.
// test/db/plan.test.ts holds it against the locks that Postgres takes.

/** From the weakest. A plan names none below "row exclusive", which lets everyone read and lets other rows be written. */
const modes = ["row exclusive", "share update exclusive", "share", "share row exclusive", "access exclusive"] as const;
export type Mode = (typeof modes)[number];

/** From what takes least: nothing but the catalog; changes of rows; reading every row; an index; every row written anew. */
const works = ["none", "rows", "scan", "index", "rewrite"] as const;
export type Work = (typeof works)[number];

interface Found {
  table: string;
  mode: Mode;
  work: Work;
}

/** Each table once, with its strongest lock and its largest work. Tables that the text itself makes are left out, but not those that it makes again. */
export function locksOf(text: string): Found[] {
  const made = new Set<string>();
  const tables = new Map<string, Found>();
  const add = ({ table, mode, work }: Found) => {
    const before = tables.get(table) ?? { table, mode, work };
    tables.set(table, { table, mode: greater(modes, before.mode, mode), work: greater(works, before.work, work) });
  };
  for (const statement of statementsOf(text)) {
    const [, created] = /^create table (?:if not exists )?(\w+)/.exec(statement) ?? [];
    if (created !== undefined && tables.has(created)) add(lock(created, "access exclusive", "rewrite"));
    else if (created !== undefined) made.add(created);
    for (const found of locksOfStatement(statement)) if (!made.has(found.table)) add(found);
  }
  return [...tables.values()];
}

const greater = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(a) > order.indexOf(b) ? a : b);

/** In small letters, without comments and with single blanks; those of a `do` block are taken out of it, and strings are emptied. */
function statementsOf(text: string): string[] {
  const tokens = text.match(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|[^]/g) ?? [];
  const plain = tokens.map((token) => {
    if (/^(?:--|\/\*)/.test(token)) return " ";
    if (token.startsWith("'")) return "''";
    return /^\$\w*\$/.test(token) ? `; ${statementsOf(token.replace(/^\$\w*\$|\$\w*\$$/g, "")).join("; ")};` : token;
  });
  const words = plain.join("").toLowerCase().replaceAll(/\s+/g, " ");
  return words.split(";").map((statement) => statement.trim().replace(/^(?:begin|loop|then|else) /, "")).filter((statement) => statement !== ""); // prettier-ignore
}

function locksOfStatement(statement: string): Found[] {
  const references = [...statement.matchAll(/\breferences (\w+)/g)].map(([, table]) => lock(table, "share row exclusive"));
  const [, altered, actions] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(statement) ?? [];
  if (altered !== undefined) return [...partsOf(actions!).map((action) => ({ table: altered, ...ofAction(action) })), ...references];
  if (statement.startsWith("create table ")) return references;
  const [, , concurrently, indexed] =
    /^create (unique )?index (concurrently )?(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)/.exec(statement) ?? [];
  if (indexed !== undefined) return [lock(indexed, concurrently === undefined ? "share" : "share update exclusive", "index")];
  const [, triggered] = /^create (?:or replace )?(?:constraint )?trigger .*? on (\w+)/.exec(statement) ?? [];
  if (triggered !== undefined) return [lock(triggered, "share row exclusive")];
  const [, dropped] = /^(?:drop trigger .* on|drop table(?: if exists)?|truncate(?: table)?) (\w+)/.exec(statement) ?? [];
  if (dropped !== undefined) return [lock(dropped, "access exclusive")];
  const [, locked, mode] = /\block table ([\w, ]+?) in ([a-z ]+) mode/.exec(statement) ?? [];
  if (locked !== undefined) return locked.split(", ").map((table) => lock(table, modes.find((one) => one === mode) ?? "access exclusive"));
  const [, written] = /^(?:update|insert into|delete from) (?:only )?(\w+)/.exec(statement) ?? [];
  return written === undefined ? [] : [lock(written, "row exclusive", statement.startsWith("insert ") ? "none" : "rows")];
}

const lock = (table: string | undefined, mode: Mode, work: Work = "none"): Found => ({ table: table!, mode, work });

/** Divided at the commas that stand in no parentheses. */
function partsOf(actions: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of actions) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** One action of `alter table`. What is not known here counts as the strongest lock without work. */
function ofAction(action: string): { mode: Mode; work: Work } {
  if (action.startsWith("validate constraint")) return { mode: "share update exclusive", work: "scan" };
  if (/^set \(|^alter (?:column )?\w+ set statistics/.test(action)) return { mode: "share update exclusive", work: "none" };
  if (/^(?:enable|disable) trigger/.test(action)) return { mode: "share row exclusive", work: "none" };
  const isForeignKey = /^add (?:constraint \w+ )?foreign key/.test(action);
  const mode = isForeignKey ? "share row exclusive" : "access exclusive";
  return { mode, work: workOf(action, isForeignKey) };
}

/** Of an action; a default that is called for each row, as gen_random_uuid() is, has the table written anew, one of the transaction is not. */
function workOf(action: string, isForeignKey: boolean): Work {
  const [, called] = /\bdefault (\w+)\(/.exec(action) ?? [];
  const isVolatile = called !== undefined && !["now", "current_setting", "transaction_timestamp"].includes(called);
  if (isVolatile || /\bgenerated always as\b|\bas identity\b|^alter (?:column )?\w+ (?:set data )?type\b/.test(action)) return "rewrite";
  if (/\bunique\b|\bprimary key\b/.test(action)) return "index";
  if (/\bnot valid$/.test(action)) return "none";
  return isForeignKey || /\bcheck \(|\bset not null\b/.test(action) ? "scan" : "none";
}

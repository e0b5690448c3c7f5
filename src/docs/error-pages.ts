// /docs/errors with an entry for every code (each error's doc_url points there), and a page per code with bodies and endpoints.
import type { ErrorCode, ErrorRow } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";
import { allErrorFacts, type ErrorFacts, messageTemplate, shownAs, statusesOf } from "../errors/facts.ts";
import { asReadersMeetThem, bodiesOf, failedJob, plainBody } from "./error-bodies.ts";
import { escapeHtml } from "../text/html.ts";
import { fence } from "./html.ts";
import { tableHtml } from "./markdown.ts";
import type { Block, HtmlTools, Page, PortalFacts } from "./types.ts";

export function errorPages(facts: PortalFacts): Page[] {
  const all = allErrorFacts();
  return [errorsPage(facts, all), ...all.map((one) => errorPage(facts, one))];
}

const intro = `Every error says a stable code: branch on it, never on the message. Codes are added, never renamed. \`retryable\` and the header
\`x-should-retry\` say whether sending the same request again can help. \`doc_url\` of an error leads to its entry here, and
[\`GET /v1/errors\`](/docs/api/listErrors) lists all of this as JSON. How to handle errors in a program: [Errors](/docs/guides/errors).`;

function errorsPage({ document }: PortalFacts, all: readonly ErrorFacts[]): Page {
  const { older = [], usual = [] } = Object.groupBy(all, ({ row }) => (row.older || row.reserved ? "older" : "usual"));
  const entry = (one: ErrorFacts) => entryBlock({ ...one, operations: asReadersMeetThem(document, one.operations) });
  return {
    path: "errors",
    title: "Error codes",
    summary: "Every error code: what happened, how to fix it, whether to send the request again.",
    blocks: () => [
      intro,
      indexBlock(usual),
      "## Each code",
      ...usual.map(entry),
      "## Older and reserved words\n\nOlder endpoints say some codes in other words; reserved ones are not returned yet.",
      ...older.map(entry),
    ],
  };
}

/** An overview of all codes, by their status. */
function indexBlock(all: readonly ErrorFacts[]): Block {
  const groups = Map.groupBy(all, ({ statuses }) => statuses[0] ?? 0);
  const rows = [...groups].sort(([a], [b]) => (a || 999) - (b || 999));
  const title = (status: number) => (status === 0 ? "In jobs and streams" : `${status}`);
  return {
    html: () =>
      `<dl class="codes">${rows
        .map(
          ([status, codes]) =>
            `<div><dt>${title(status)}</dt><dd>${codes.map(({ code }) => `<a href="#${code}"><code>${code}</code></a>`).join(" ")}</dd></div>`,
        )
        .join("")}</dl>`,
    markdown: rows.map(([status, codes]) => `- ${title(status)}: ${codes.map(({ code }) => `\`${code}\``).join(", ")}\n`).join(""),
  };
}

function entryBlock(facts: ErrorFacts): Block {
  const { code } = facts;
  const rows: [string, string][] = [
    ["What happened", atEach(facts, " ", ({ happened }) => happened)],
    ["How to fix it", atEach(facts, " ", ({ fix }) => fix)],
    ["HTTP status", statusText(facts)],
    ["Type", atEach(facts, "; ", typeText)],
    ["Retry", atEach(facts, "; ", retryText)],
    ["Endpoints", endpointsText(facts)],
  ];
  return {
    html: (tools) =>
      `<section class="entry" id="${code}"><h3><a href="${tools.link(`/docs/errors/${code}`)}"><code>${code}</code></a>${badge(facts)}<a class="anchor" href="#${code}" aria-label="Link to ${code}">#</a></h3><dl>${rows
        .map(([name, text]) => `<dt>${name}</dt><dd>${inline(text)}</dd>`)
        .join("")}</dl></section>\n`,
    markdown: `### \`${code}\`\n\n${rows.map(([name, text]) => `- ${name}: ${text}`).join("\n")}\n- More: [${code}](/docs/errors/${code})\n`,
  };
}

function badge({ statuses, row }: ErrorFacts): string {
  const words = [...statuses.map(String), ...(row.retryable ? ["retry"] : [])];
  return words.map((word) => `<span class="badge${word === "retry" ? " retry" : ""}">${word}</span>`).join("");
}

/** The only markup in the catalogue's texts is code in backticks. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A job's code has no status where the job is read; where a request waits for the job, the dialect decides the status. */
function statusText({ statuses, row }: ErrorFacts): string {
  const own = statuses.join(", ");
  if (row.inStream) return "none of its own: the status was sent before the stream broke";
  if (!row.job) return own;
  return `${own}${own === "" ? "" : "; "}200 where a failed job is read, whose \`error.code\` it is`;
}

/** The row's text, and the texts of statuses with a row of their own. */
function atEach({ row, otherwise }: ErrorFacts, between: string, read: (row: ErrorRow) => string): string {
  const others = otherwise.filter((one) => read(one.row) !== read(row)).map((one) => `with ${one.status}: ${read(one.row)}`);
  return [read(row), ...others].map((text) => (between === " " ? capital(text) : text)).join(between);
}

function typeText({ type }: ErrorRow): string {
  return `\`${type}\``;
}

function retryText(row: ErrorRow): string {
  if (!row.retryable) return "no; change the request first";
  return row.retryAfterSec === undefined
    ? "yes, after the time in `Retry-After` if there is one"
    : `yes, after \`Retry-After\`: ${row.retryAfterSec} seconds or less`;
}

function endpointsText({ operations: places, row }: ErrorFacts): string {
  if (row.reserved) return "reserved: not returned yet";
  if (places.length === 0) return row.inStream ? "streams that broke after they began" : "any path";
  if (places.length >= Object.keys(operations).length - 1) return "every endpoint";
  const shown = places.slice(0, 8).map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``);
  return places.length > 8 ? `${shown.join(", ")} and ${places.length - 8} more` : shown.join(", ");
}

function errorPage({ document, publicUrl }: PortalFacts, facts: ErrorFacts): Page {
  const { code, row, operations: places } = facts;
  return {
    path: `errors/${code}`,
    title: code,
    kicker: "Error code",
    summary: row.happened,
    blocks: () => [
      `**${facts.statuses.length > 0 ? `HTTP ${facts.statuses.join(", ")}` : "No status of its own"}** · ${atEach(facts, "; ", typeText)} · ${atEach(facts, "; ", ({ retryable }) => (retryable ? "can be sent again" : "not to be sent again unchanged"))}`,
      `## What happened\n\n${atEach(facts, " ", ({ happened }) => happened)}`,
      `## How to fix it\n\n${atEach(facts, " ", ({ fix }) => fix)}`,
      `## Retry\n\n${sentence(atEach(facts, "; ", retryText))}`,
      "## Message\n\nFor people, not to be parsed. `{name}` stands for a value; parts whose values are not known are left out.",
      fence("text", messageTemplate(row)),
      ...exampleBlocks(facts, bodiesOf(document, facts), { document, publicUrl }),
      "## Endpoints",
      places.length === 0 ? sentence(endpointsText(facts)) : endpointList(asReadersMeetThem(document, places)),
      `[All error codes](/docs/errors#${code})`,
    ],
  };
}

function exampleBlocks(
  facts: ErrorFacts,
  bodies: ReturnType<typeof bodiesOf>,
  { document, publicUrl }: Pick<PortalFacts, "document" | "publicUrl">,
): Block[] {
  const { row, operations: places } = facts;
  const json = (value: unknown) => fence("json", JSON.stringify(value, null, 2));
  const answers = bodies.map(
    ({ status, operations: own, json: body }) =>
      `${bodies.length > 1 || own.length < places.length ? `${status} of ${whose(own)}:` : `${status}:`}\n\n${json(body)}`,
  );
  const job = row.job ? failedJob(document, facts, bodies) : null;
  const ofJob = job === null ? [] : [`A failed job, as \`GET /v1/jobs/{id}\` shows it:\n\n${json(job)}`];
  const lastEvent = () => fence("http", `data: ${JSON.stringify(plainBody(publicUrl, facts))}`);
  const broken = row.inStream ? [`The last event of a chat's stream; other streams say it in their own form:\n\n${lastEvent()}`] : [];
  const pathless = answers.length + ofJob.length + broken.length === 0 ? [json(plainBody(publicUrl, facts))] : [];
  return row.reserved ? [] : ["## Body", ...answers, ...ofJob, ...broken, ...pathless];
}

function whose(own: readonly Operation[]): string {
  const [first, ...others] = own as [Operation, ...Operation[]];
  const name = `\`${first.method.toUpperCase()} ${first.path}\``;
  if (others.length === 0) return name;
  return `${name} and ${others.length} ${others.length === 1 ? "other" : "others"}`;
}

function endpointList(places: readonly Operation[]): string {
  return places.map(({ id, method, path }) => `- [\`${method.toUpperCase()} ${path}\`](/docs/api/${id})`).join("\n");
}

function sentence(text: string): string {
  return `${capital(text)}.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The codes that one operation answers with, in its own dialect, by status. */
export function errorTable(codes: readonly ErrorCode[], operation: Operation): Block {
  const shown = new Set(codes.map((code) => shownAs(operation, code)));
  const rows = allErrorFacts().filter(({ code }) => shown.has(code));
  const statuses = ({ code }: ErrorFacts) => {
    const own = codes.filter((one) => shownAs(operation, one) === code).flatMap((one) => statusesOf(operation, one));
    return [...new Set(own)].sort((a, b) => a - b);
  };
  const status = (one: ErrorFacts) => statuses(one).join(", ");
  const happened = (one: ErrorFacts) => (one.otherwise.find((there) => there.status === statuses(one)[0]) ?? one).row.happened;
  const cells = (tools: HtmlTools, one: ErrorFacts) => [
    { html: status(one), text: status(one) },
    { html: `<a href="${tools.link(`/docs/errors/${one.code}`)}"><code>${one.code}</code></a>`, text: one.code },
    { html: inline(happened(one)), text: happened(one) },
  ];
  return {
    html: (tools) =>
      tableHtml(
        ["Status", "Code", "What happened"],
        rows.map((one) => cells(tools, one)),
        ["", "", ""],
      ),
    markdown: `| status | code | what happened |\n|---|---|---|\n${rows.map((one) => `| ${status(one)} | [\`${one.code}\`](/docs/errors/${one.code}) | ${happened(one).replaceAll("|", "\\|")} |`).join("\n")}\n`,
  };
}

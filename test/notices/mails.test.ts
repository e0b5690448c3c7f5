// The mails of notices as a mail server gets them: the same in text and in HTML, tried again while the server can't take them, given up after
// eight attempts or where it refuses for good.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { mailPausesMs } from "../../src/notices/deliveries.ts";
import type { EventData, EventName } from "../../src/notices/events.ts";
import { writeNotice } from "../../src/notices/notices.ts";
import { formsOf, headerOf, type MailServer, type Received, startMailServer } from "../mail/mail-server.ts";
import { type Person, startTeamGateway, type TeamGateway } from "../operations/team/team-gateway.ts";
import { until } from "../support/eventually.ts";
import { personEvents, workspaceEvents } from "./contract-events.ts";

let gateway: TeamGateway;
let server: MailServer;
/** What the mail server answers to who writes to an address; absent: it takes the mail. */
const refusals = new Map<string, number>();
const asked: Pick<Received, "to">[] = [];
beforeAll(async () => {
  server = await startMailServer({
    onRcptTo({ address }, _session, done) {
      asked.push({ to: [address] });
      const responseCode = refusals.get(address);
      done(responseCode === undefined ? null : Object.assign(new Error("not now"), { responseCode }));
    },
  });
  gateway = await startTeamGateway({ notices: { everyMs: 50 }, env: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } });
});
afterEach(() => refusals.clear());
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
const to = <One extends Pick<Received, "to">>(mails: One[], { email }: Person): One[] => mails.filter((mail) => mail.to.includes(email));
const tell = <Event extends EventName>(person: Person, event: Event, data: EventData[Event]) =>
  writeNotice(gateway.context.db, {
    ...{ accountId: person.accountId, event, cause: "a test", data, at: gateway.context.clock() },
    ...(personEvents.includes(event) ? { personId: person.accountId } : {}),
  });
async function mailTo(person: Person): Promise<Received> {
  await until(() => to(server.received, person).length > 0, "a mail");
  return to(server.received, person)[0]!;
}

const hostile = "<b>24</b> & co's";
const at = "2026-11-26T10:29:58.123Z";
const shownAt = "2026-11-26 10:29 UTC";

interface Told {
  event: EventName;
  data: EventData[EventName];
  subject: string;
  /** What the mail must say, beside the workspace's name, in each event of a workspace. */
  says: string[];
}
const told = <Event extends EventName>(event: Event, data: EventData[Event], subject: string, ...says: string[]): Told => ({
  ...{ event, data, subject, says },
});

const budget = { key_id: "key_1", key_name: hostile, percent: 80, spent_usd: 8.5, limit_usd: 10 };
const ofMember = { member_id: `usr_${"0".repeat(32)}`, percent: 80, spent_usd: 8.5, limit_usd: 10 };
const failed = { topup_id: "top_<b>1</b>", amount_usd: 20 };
const every: Told[] = [
  told("balance.low", { balance_usd: 4.75, threshold_usd: 5 }, "Credit is low: 4.75 USD left", "4.75 USD", "5.00 USD", "/console/credit"),
  told(
    "balance.low",
    { balance_usd: 4.999, threshold_usd: 5 },
    "Credit is low: 4.99 USD left",
    "has 4.99 USD of credit left",
    "/console/credit",
  ),
  told("key.budget_reached", { ...budget, period_ends: null }, "An API key has used 80% of its budget", hostile, "8.50 USD of 10.00 USD"),
  told("key.budget_reached", { ...budget, period_ends: at }, "An API key has used 80% of its budget", hostile, shownAt, "/console/keys"),
  told("member.budget_reached", { ...ofMember, period_ends: null }, "A member has used 80% of their budget", ofMember.member_id),
  told("member.budget_reached", { ...ofMember, period_ends: at }, "A member has used 80% of their budget", shownAt, "/console/members"),
  told("key.expiring", { key_id: "key_1", key_name: hostile, expires_at: at }, "An API key is about to expire", hostile, shownAt),
  told("payment.failed", failed, "A payment failed", "20.00 USD", failed.topup_id, "/console/credit"),
  told("payment.failed", { ...failed, auto_topup_off: "declined" }, "Automatic top-ups were turned off", failed.topup_id, "was declined"),
  told(
    ...(["payment.failed", { ...failed, auto_topup_off: "authentication_required" }, "Automatic top-ups were turned off"] as const),
    ...[failed.topup_id, "its bank's approval"],
  ),
  told("payment.disputed", { ...failed, disputed_usd: 5 }, "A payment was disputed", "5.00 USD", "20.00 USD", failed.topup_id),
  told(
    ...(["webhook.disabled", { endpoint_id: "whk_1", url: "https://example.com/?a=<b>&c='d'", failing_since: at }] as const),
    ...(["A webhook was disabled", "https://example.com/?a=<b>&c='d'", shownAt, "/console/settings"] as const),
  ),
  told("recovery_code.used", { used_at: at, left: 3 }, "A recovery code was used", shownAt, "3 are left", "/console/settings"),
  told("totp.ended", { ended_at: at }, "The second factor was turned off", shownAt, "/console/settings"),
  told(
    "sign_in.new_place",
    { network: "<b>&", signed_in_at: at },
    "A sign-in from a new place",
    shownAt,
    "from <b>&,",
    "/console/settings",
  ),
];

const signs: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** What a reader sees of each paragraph. Fails where one holds a sign of HTML that is neither escaped nor the mail's own link. */
function paragraphsOf(html: string): string[] {
  return [...html.matchAll(/<p(?: style="[^"<>]*")?>([^]*?)<\/p>/g)].map(([, inside]) => {
    const link = /^<a href="([^"]*)">(.*)<\/a>$/.exec(inside!);
    if (link) expect(link[1]).toBe(link[2]);
    const shown = link?.[2] ?? inside!;
    expect(shown).toMatch(/^(?:[^<>&"']|&(?:amp|lt|gt|quot|#39);)+$/);
    return shown.replace(/&[^;]+;/g, (sign) => signs[sign]!);
  });
}

describe("a mail as text and as HTML", () => {
  test("is made of every event of the contract", () => {
    expect([...new Set(every.map(({ event }) => event))].sort()).toEqual([...workspaceEvents, ...personEvents].sort());
  });

  test.each(every)("$event, $subject: both say the same facts, names plain in text and escaped in HTML", async (one) => {
    const person = await gateway.person();
    await query("update account set name = $2 where id = $1", [person.accountId, hostile]);
    await tell(person, one.event, one.data as never);
    const mail = await mailTo(person);
    const { "text/plain": text, "text/html": html } = formsOf(mail);
    expect([mail.to, headerOf(mail, "Subject")]).toEqual([[person.email], one.subject]);
    const paragraphs = text!.trimEnd().split("\n\n");
    expect(paragraphs.length).toBeGreaterThan(3);
    expect(paragraphsOf(html!)).toEqual(paragraphs);
    for (const fact of [...one.says, ...(workspaceEvents.includes(one.event) ? [`workspace "${hostile}"`] : [])])
      expect(text).toContain(fact);
    expect(html).not.toMatch(/<b>|& /);
  });

  test.each(["workspace", "key"])("a %s whose name has lines of its own adds no paragraph", async (which) => {
    const person = await gateway.person();
    const name = "prod\n\nYour account is locked.\n\nhttps://evil.example";
    if (which === "workspace") await query("update account set name = $2 where id = $1", [person.accountId, name]);
    await tell(person, "key.expiring", { key_id: "key_1", key_name: which === "key" ? name : "prod", expires_at: at });
    const { "text/plain": text, "text/html": html } = formsOf(await mailTo(person));
    expect(text!.trimEnd().split("\n\n")).toHaveLength(4);
    expect(paragraphsOf(html!)).toEqual(text!.trimEnd().split("\n\n"));
  });
});

describe("a mail that the server does not take", () => {
  interface Delivery {
    state: string;
    attempts: number;
    code: number | null;
    /** Seconds from the attempt to the next. */
    pause: number | null;
  }
  const delivery = async ({ accountId }: Person): Promise<Delivery | undefined> =>
    (
      await query(
        `select state, attempts, response_code as code, extract(epoch from due_at - tried_at)::float as pause from notice_delivery
         where account_id = $1 and lease_owner is null`,
        [accountId],
      )
    ).rows[0];
  /** How the attempt of this number ended. */
  async function ended(person: Person, attempts: number): Promise<Delivery> {
    let found: Delivery | undefined;
    await until(async () => (found = await delivery(person))?.attempts === attempts, `attempt ${attempts}`);
    return found!;
  }
  /** As if the pause before the next attempt had gone by. */
  const skipPause = ({ accountId }: Person) =>
    query("update notice_delivery set due_at = now() where account_id = $1 and due_at is not null", [accountId]);
  const mails = async (person: Person) => (await gateway.ask(person, "GET", "/v1/workspace/notices/log")).json.data[0].mails;
  const refused = async (code: number) => {
    const person = await gateway.person();
    refusals.set(person.email, code);
    await tell(person, "balance.low", { balance_usd: 4.75, threshold_usd: 5 });
    return person;
  };

  test("now is tried eight times, after the pauses that grow, and has then failed", async () => {
    expect(mailPausesMs).toHaveLength(7);
    const person = await refused(451);
    for (const [n, pauseMs] of mailPausesMs.entries()) {
      const { state, code, pause } = await ended(person, n + 1);
      expect([state, code]).toEqual(["waiting", 451]);
      expect(pause).toBeGreaterThanOrEqual(pauseMs / 1000);
      expect(pause).toBeLessThan(mailPausesMs[n + 1] === undefined ? 86_400 : mailPausesMs[n + 1]! / 1000);
      expect(await mails(person)).toEqual({ delivered: 0, waiting: 1, failed: 0 });
      await skipPause(person);
    }
    expect(await ended(person, 8)).toEqual({ state: "failed", attempts: 8, code: 451, pause: null });
    expect(await mails(person)).toEqual({ delivered: 0, waiting: 0, failed: 1 });
    expect([to(asked, person).length, to(server.received, person)]).toEqual([8, []]);
  });

  test("at first is delivered once it does", async () => {
    const person = await refused(450);
    expect(await ended(person, 1)).toMatchObject({ state: "waiting", code: 450 });
    refusals.clear();
    await skipPause(person);
    expect(await ended(person, 2)).toMatchObject({ state: "delivered", code: null, pause: null });
    expect(to(server.received, person)).toHaveLength(1);
    expect(await mails(person)).toEqual({ delivered: 1, waiting: 0, failed: 0 });
  });

  test("for good is not tried again", async () => {
    const person = await refused(550);
    expect(await ended(person, 1)).toEqual({ state: "failed", attempts: 1, code: 550, pause: null });
    expect(to(asked, person)).toHaveLength(1);
  });
});

// Mail over real sockets: what arrives, what is tried again, what is never said.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { createMailer, type Mail, type Mailer } from "../../src/mail/mailer.ts";
import { headersOf, type MailServer, type Received, startMailServer as startServer } from "./mail-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startMailServer(options: Parameters<typeof startServer>[0] = {}): Promise<MailServer> {
  const server = await startServer(options);
  cleanups.push(server.close);
  return server;
}

function startMailer(
  port: number,
  userinfo = "",
  more: { closeMs?: number; name?: string; from?: string } = {},
): { mailer: Mailer; log: () => string } {
  let written = "";
  const log = pino({ level: "debug" }, { write: (line: string) => void (written += line) });
  const opened = createMailer({ smtpUrl: `smtp://${userinfo}127.0.0.1:${port}`, from: "Gateway <gateway@example.com>", log, ...more });
  let closed: Promise<void> | undefined;
  const mailer = { ...opened, close: () => (closed ??= opened.close()) };
  cleanups.push(mailer.close);
  return { mailer, log: () => written };
}

const mail: Mail = { to: "ada@example.com", subject: "Verify", text: "https://gateway.example/verify#token=svcm_SECRET\nCode: 493021 ä" };

test("arrives with its envelope, subject and text, marked as sent by a machine", async () => {
  const server = await startMailServer();
  const { mailer, log } = startMailer(server.port);
  mailer.send({ ...mail, subject: "Bestätigen Sie" });
  await mailer.close();
  expect(server.received).toMatchObject([{ from: "gateway@example.com", to: ["ada@example.com"] }]);
  const [message] = server.received as [Received];
  expect(headersOf(message)).toEqual(
    expect.arrayContaining(["From: Gateway <gateway@example.com>", "To: ada@example.com", "Auto-Submitted: auto-generated"]),
  );
  expect(headersOf(message).find((line) => line.startsWith("Subject:"))).toMatch(/^Subject: =\?UTF-8\?/i);
  expect(message.raw.replace(/=\r\n/g, "").replaceAll("=3D", "=")).toContain("verify#token=svcm_SECRET");
  expect(log()).toBe("");
});

test("the service's name is the sender's where the address has none, and stands in no header of its own", async () => {
  const server = await startMailServer();
  const bare = startMailer(server.port, "", { name: `Acme "AI" <eve@evil.example>`, from: "gateway@example.com" });
  bare.mailer.send({ ...mail, html: "<html><body>Hello</body></html>" });
  await bare.mailer.close();
  const own = startMailer(server.port, "", { name: "Acme AI" });
  own.mailer.send(mail);
  await own.mailer.close();
  const [first, second] = server.received as [Received, Received];
  expect([first.from, headersOf(first)]).toEqual([
    "gateway@example.com",
    expect.arrayContaining([String.raw`From: "Acme \"AI\" <eve@evil.example>" <gateway@example.com>`]),
  ]);
  expect(first.raw).toContain("<p>Acme &quot;AI&quot; &lt;eve@evil.example&gt;</p>");
  expect(headersOf(second)).toEqual(expect.arrayContaining(["From: Gateway <gateway@example.com>", "Subject: Acme AI: Verify"]));
});

test("a server that is down at first gets the mail when it is back, once", async () => {
  const first = await startMailServer();
  await first.close();
  const { mailer, log } = startMailer(first.port);
  mailer.send(mail);
  await sleep(300);
  const second = await startMailServer({ port: first.port });
  await expect.poll(() => second.received.length).toBe(1);
  await mailer.close();
  expect(second.received).toHaveLength(1);
  expect(log()).toMatch(/could not be sent yet/);
  expect(log()).not.toMatch(/SECRET|493021/);
});

test("a server that refuses for good is asked once; the log says so without the mail's text or our password", async () => {
  let asked = 0;
  const server = await startMailServer({
    onAuth: (_auth, _session, done) => done(null, { user: "svc" }),
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error("no such user"), { responseCode: 550, asked: ++asked })),
  });
  const { mailer, log } = startMailer(server.port, "svc:hunter2@");
  mailer.send(mail);
  await mailer.close();
  expect([asked, server.received]).toEqual([1, []]);
  expect(log()).toContain('"a mail could not be sent"');
  expect(log()).toContain("550");
  expect(log()).not.toMatch(/SECRET|493021|hunter2/);
});

test("three tries and no more; the end does not wait for the pauses between them", async () => {
  let asked = 0;
  const server = await startMailServer({
    onMailFrom: (_address, _session, done) => done(Object.assign(new Error("busy"), { responseCode: 451, asked: ++asked })),
  });
  const { mailer, log } = startMailer(server.port);
  mailer.send(mail);
  const began = performance.now();
  await mailer.close();
  expect([asked, performance.now() - began < 3_000]).toEqual([3, true]);
  expect(log()).toContain('"tries":3');
});

describe("hostile input", () => {
  test.each([
    ["ada@example.com\r\nBcc: eve@evil.example"],
    ["ada@example.com,eve@evil.example"],
    ["ada,eve@evil.example"],
    ["a:eve@evil.example;"],
    ["ada@example.com> SIZE=1\r\nRCPT TO:<eve@evil.example"],
    ["<eve@evil.example>"],
    ["ada\u0000@example.com"],
    ['"ada@example.com"@evil.example'],
    ["-"],
    [""],
  ])("the address %j is sent to nobody", async (to) => {
    const server = await startMailServer();
    const { mailer, log } = startMailer(server.port);
    mailer.send({ ...mail, to });
    await mailer.close();
    expect(server.received).toEqual([]);
    expect(log()).toContain("a mail was not sent");
  });

  test("a subject with line breaks makes no header of its own", async () => {
    const server = await startMailServer();
    const { mailer } = startMailer(server.port);
    mailer.send({ ...mail, subject: "Hello\r\nBcc: eve@evil.example\r\n\r\nbody" });
    await mailer.close();
    const [message] = server.received as [Received];
    expect(message.to).toEqual(["ada@example.com"]);
    expect(headersOf(message).filter((line) => /^bcc/i.test(line))).toEqual([]);
  });
});

describe("bounds", () => {
  test("send returns at once, close waits for what is under way", async () => {
    const server = await startMailServer({
      onMailFrom: (_address, _session, done) => void setTimeout(done, 300),
    });
    const { mailer } = startMailer(server.port);
    const began = performance.now();
    for (let n = 0; n < 12; n++) mailer.send({ ...mail, to: `user${n}@example.com` });
    expect(performance.now() - began).toBeLessThan(50);
    await mailer.close();
    expect(new Set(server.received.flatMap(({ to }) => to)).size).toBe(12);
  });

  test("the 1,001st mail under way is dropped, and the log says so", async () => {
    const server = await startMailServer();
    const { mailer, log } = startMailer(server.port, "", { closeMs: 60_000 });
    for (let n = 0; n < 1_002; n++) mailer.send({ ...mail, to: `user${n}@example.com` });
    await mailer.close();
    expect(server.received).toHaveLength(1_000);
    expect(log().match(/a mail was dropped/g)).toHaveLength(2);
  });

  test("a server that says nothing holds the end up for 10 seconds at most, less in everyday runs", async () => {
    const server = await startMailServer({ onMailFrom: () => undefined });
    const { mailer, log } = startMailer(server.port, "", process.env.CI ? {} : { closeMs: 500 }); // there the shipped time
    mailer.send(mail);
    const began = performance.now();
    await mailer.close();
    expect(performance.now() - began).toBeLessThan(11_000);
    expect(log()).toContain("mails were not sent before shutdown");
  });
});

describe("settings", () => {
  test("without SMTP_URL a mail is printed", () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    createMailer({ smtpUrl: null, from: "gateway@localhost", log }).send(mail);
    expect(JSON.parse(lines[0]!)).toMatchObject({ mail });
  });

  test("where the log is not the sender's own, neither link nor code stands there: whom a mail was for, and that it was not sent", () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    createMailer({ smtpUrl: null, from: "gateway@localhost", log, prints: false }).send(mail);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 50, to: mail.to, subject: mail.subject });
    expect(lines.join()).not.toContain(JSON.stringify(mail.text).slice(1, 20));
  });

  test.each(["mail.example.com:587", "http://mail.example.com", "smtp://", "smtp://user:hunter2@:x"])(
    "SMTP_URL %s stops the start, and the message holds no password",
    (smtpUrl) => {
      const start = () => createMailer({ smtpUrl, from: "gateway@localhost", log: pino({ level: "silent" }) });
      expect(start).toThrow(/^SMTP_URL must look like/);
      expect(start).not.toThrow(/hunter2/);
    },
  );
});

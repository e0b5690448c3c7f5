// SVC_NAME and SVC_LOGO: what the portal, the console, mails and statements call the service, whatever stands in them. SVC_INVOICE_SELLER: who sells.
// Wrong ones end the start.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { statementPdf } from "../../src/ledger/statements/show-statement.ts";
import type { Month } from "../../src/ledger/statements/read-months.ts";
import { createMailer } from "../../src/mail/mailer.ts";
import { listSettings } from "../../src/operators/settings.ts";
import { readShippedCatalog } from "../../src/catalog/load.ts";
import { pdfLines } from "../support/pdf-lines.ts";
import { call, type EdgeUnderTest, startEdge } from "./start-edge.ts";

const name = `Acme <b>"$& AI"`;
const shown = "Acme &lt;b&gt;&quot;$&amp; AI&quot;";
const svg = '<?xml version="1.0"?><!-- a mark --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const html = { headers: { accept: "text/html" } };
const png = Buffer.from("89504e470d0a1a0a0000", "hex");

let folder: string;
let edge: EdgeUnderTest;
const fileOf = (file: string, content: string | Buffer) => {
  writeFileSync(join(folder, file), content);
  return join(folder, file);
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-name-"));
  edge = await startEdge({ publicUrl: "https://gw.example/ai", env: { SVC_NAME: name, SVC_LOGO: fileOf("logo.txt", svg) } });
});
afterAll(async () => {
  await edge.close();
  rmSync(folder, { recursive: true, force: true });
});

const harmless = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

test("the portal's bar, titles, icon and llms.txt", async () => {
  const { text } = await call(edge, "/docs/errors", html);
  expect(text).toContain(`· ${shown} documentation</title>`);
  const logo = /<img src="([^"]+)" alt="">/.exec(text)![1]!;
  expect(text).toContain(`alt="">${shown} <span>docs</span>`);
  expect(text).toContain(`<link rel="icon" type="image/svg+xml" href="${logo}">`);
  const { status, text: bytes, headers } = await call(edge, `/docs/${logo}`);
  expect([status, bytes]).toEqual([200, svg]);
  expect(["content-type", "content-security-policy", "x-content-type-options"].map((header) => headers.get(header))).toEqual([
    ...["image/svg+xml", harmless, "nosniff"],
  ]);
  expect((await call(edge, "/llms.txt")).text).toMatch(/^# Acme <b>"\$& AI"\n/);
});

test("the console's page tells its script, and serves the logo; its policy stays as it is", async () => {
  const { text, headers } = await call(edge, "/console/keys", html);
  const [, logo] = new RegExp(
    `<meta name="service" content="${shown.replaceAll("$", String.raw`\$`)}" data-logo="/ai(/console/assets/logo-[0-9a-f]{10}\\.svg)" />`,
  ).exec(text)!;
  expect(text).toContain(`<title>${shown}</title>`);
  expect(text).toContain(`<link rel="icon" href="/ai${logo}" type="image/svg+xml" />`);
  expect(headers.get("content-security-policy")).toMatch(/script-src 'self';.*img-src 'self' blob: data:/);
  const served = await call(edge, logo!);
  expect([served.status, served.text, served.headers.get("content-security-policy")]).toEqual([200, svg, harmless]);
});

test("mails: sender, subject and signature; a sender with a name keeps it", async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const mailer = createMailer({ name: "Acme AI", smtpUrl: null, from: "gateway@localhost", log });
  mailer.send({ to: "ada@example.com", subject: "Verify your address", text: "Hello.\n" });
  await mailer.attempt({ to: "ada@example.com", subject: "Credit is low", text: "Hello.\n" });
  expect(lines.map((line) => (JSON.parse(line) as { mail: object }).mail)).toEqual([
    { to: "ada@example.com", subject: "Acme AI: Verify your address", text: "Hello.\n\nAcme AI\n" },
    { to: "ada@example.com", subject: "Acme AI: Credit is low", text: "Hello.\n\nAcme AI\n" },
  ]);
});

const sums = { entries: 0n, topups: 0n, grants: 0n, charges: 0n, holds: 0n, refunds: 0n, adjustments: 0n, paymentRefunds: 0n };
const month: Month = { ...sums, month: "2026-11", final: false, afterSeq: 0n, lastSeq: 0n, opening: 0n, closing: 0n };

test("a statement's PDF begins with it", () => {
  const pdf = (service: string | null) =>
    statementPdf(month, [], { service, seller: null, account: { id: 1n, name: "Ada", email: "ada@example.com" } }).toString("latin1");
  expect(pdf("Acme (AI)")).toContain(String.raw`(Acme \(AI\)) Tj T*`);
  expect(pdf(null)).not.toContain("Acme");
});

const seller = "Acme AI GmbH | Straße 1, Berlin";

test("without a seller the PDF of a closed month is a statement, with its number; a name that is too long for a line goes on below", () => {
  const name = "Ada ".repeat(25).trim();
  const account = { id: 7n, name, email: "ada@example.com" };
  const pdf = statementPdf({ ...month, final: true }, [], { service: null, seller: null, account });
  expect(pdfLines(pdf).slice(0, 9)).toEqual([
    ...["Statement of account", "", `Account   ${name.slice(0, 74)}`, `          ${name.slice(74)}`, "          ada@example.com"],
    ...["          acc_7", "", "Number    INV-7-2026-11", String.raw`Month     2026-11 \(UTC\)`],
  ]);
});

test("operators see them among the settings", () => {
  const environment = readConfig({ SVC_NAME: "Acme AI", SVC_LOGO: fileOf("logo.png", png), SVC_INVOICE_SELLER: seller });
  const settings = listSettings({ environment, catalog: readShippedCatalog(), publicUrl: "https://gw.example" }, []);
  const valueOf = (wanted: string) => settings.find((setting) => setting.name === wanted)?.value;
  expect([valueOf("SVC_NAME"), valueOf("SVC_LOGO")]).toEqual(["Acme AI", "image/png, 10 bytes"]);
  expect(valueOf("SVC_INVOICE_SELLER")).toBe("Acme AI GmbH|Straße 1, Berlin");
});

describe("wrong ones end the start and name the variable", () => {
  test.each([["a\nb"], ["x".repeat(61)], ["left\u202eright"], ["a\u2028b"]])("SVC_NAME=%j", (wrong) => {
    expect(() => readConfig({ SVC_NAME: wrong })).toThrow("SVC_NAME must be a line of 1 to 60 characters");
  });
  test.each([["a||b"], ["|a"], ["a\nb"], ["Łódź"], ["x".repeat(71)], [Array.from({ length: 11 }, () => "a").join("|")]])(
    "SVC_INVOICE_SELLER=%j",
    (wrong) => {
      expect(() => readConfig({ SVC_INVOICE_SELLER: wrong })).toThrow(
        "SVC_INVOICE_SELLER must be 1 to 10 lines with | between them, each of 1 to 70 letters of Latin 1, such as Acme AI GmbH|Street 1",
      );
    },
  );
  test("the longest seller is right", () => {
    const lines = Array.from({ length: 10 }, () => "x".repeat(70));
    expect(readConfig({ SVC_INVOICE_SELLER: lines.join("|") }).invoiceSeller).toEqual(lines);
  });
  test.each<[what: string, path: () => string, says: string]>([
    ["no file", () => join(folder, "none.svg"), "can't be read"],
    ["an address", () => "https://example.com/logo.svg", "can't be read"],
    ["a folder", () => folder, "can't be read"],
    ["too large a file", () => fileOf("large.svg", svg + " ".repeat(256 * 1024)), "can't be read"],
    ["a page that calls itself an image", () => fileOf("page.svg", "<!doctype html><html><svg></svg></html>"), "is another kind of file"],
    ["a GIF", () => fileOf("logo.png.gif", "GIF89a"), "is another kind of file"],
    ["nothing", () => fileOf("empty.png", ""), "is another kind of file"],
  ])("SVC_LOGO: %s", (_, path, says) => {
    expect(() => readConfig({ SVC_LOGO: path() })).toThrow(
      /^SVC_LOGO must be the path of an SVG, PNG, JPEG or WebP file of at most 256 KiB; /,
    );
    expect(() => readConfig({ SVC_LOGO: path() })).toThrow(says);
  });
  test("JPEG and WebP are known by their bytes", () => {
    const typeOf = (hex: string) => readConfig({ SVC_LOGO: fileOf("logo", Buffer.from(hex, "hex")) }).service.logo?.type;
    expect([typeOf("ffd8ffe0"), typeOf("524946460a000a0057454250")]).toEqual(["image/jpeg", "image/webp"]);
  });
});

// The pages that mails link to, and the one about credit: what they may load and run, and what their scripts do in a browser
// of a few lines.
import { createHash } from "node:crypto";
import { createContext, runInContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { operations, type OperationId } from "../../generated/operations.ts";
import type { Payments } from "../../src/payments/types.ts";
import { call, type EdgeUnderTest, json, startEdge, type TestHandler } from "./start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close());

const pages = ["/verify", "/reset-password"];
const token = `svcm_${"t".repeat(43)}`;
const inner = (html: string, tag: string) => new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)![1]!;
const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

describe.each(pages)("%s", (path) => {
  test("runs its own script and style only, is kept nowhere and tells nobody where it was", async () => {
    edge = await startEdge();
    const { status, headers, text } = await call(edge, path);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = Object.fromEntries(
      headers
        .get("content-security-policy")!
        .split("; ")
        .map((rule) => [rule.split(" ")[0]!, rule.split(" ").slice(1).join(" ")]),
    );
    expect(policy).toEqual({
      "default-src": "'none'",
      "script-src": sha256(inner(text, "script")),
      "style-src": sha256(inner(text, "style")),
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
    expect([headers.get("cache-control"), headers.get("referrer-policy"), headers.get("x-content-type-options")]).toEqual([
      "no-store",
      "no-referrer",
      "nosniff",
    ]);
    expect(text).not.toMatch(/\b(src|href|action|on\w+)=|https?:\/\//);
  });

  test("POST is 405", async () => {
    edge = await startEdge();
    expect((await call(edge, path, { json: {} })).status).toBe(405);
  });
});

/** Just enough of a browser for one form; what it shows is text. */
async function openInBrowser(html: string, hash: string) {
  const element = (tag: string) => ({
    tag,
    textContent: "",
    value: "",
    hidden: false,
    disabled: false,
    children: [] as { tag: string; textContent: string }[],
    replaceChildren(...children: { tag: string; textContent: string }[]) {
      this.children = children;
    },
    addEventListener(_: string, listener: (event: object) => Promise<void>) {
      submit = listener;
    },
    querySelector: () => button,
  });
  let submit: ((event: object) => Promise<void>) | undefined;
  const button = element("button");
  const elements: Record<string, ReturnType<typeof element>> = {
    form: element("form"),
    result: element("div"),
    password: element("input"),
  };
  const addresses: string[] = [];
  const location = { hash, pathname: "/here" };
  const sent: string[] = [];
  const fetchHere = (path: string, init: RequestInit) => {
    sent.push(path);
    return fetch(`${edge.url}/${path}`, init);
  };
  const window = {
    document: { getElementById: (id: string) => elements[id], createElement: element },
    history: { replaceState: (_: unknown, __: string, address: string) => addresses.push(address) },
    ...{ location, URLSearchParams, window: { fetch: fetchHere } },
  };
  runInContext(inner(html, "script"), createContext(window));
  return {
    addresses,
    sent,
    elements,
    click: () => submit!({ preventDefault: () => undefined }),
    shown: () => elements["result"]!.children.map(({ tag, textContent }) => `${tag}: ${textContent}`),
  };
}

async function open(path: string, handlers: Partial<Record<OperationId, TestHandler>>, hash = `#token=${token}`) {
  edge = await startEdge({ handlers });
  return openInBrowser((await call(edge, path)).text, hash);
}

const user = { email: "ada@example.com" };

describe("the script of /verify", () => {
  test("sends the token after a click and not before, and shows the key and the credit", async () => {
    const bodies: unknown[] = [];
    const browser = await open("/verify", {
      verifyAccount: (_, { body }) => (bodies.push(body), json({ user, credit_granted_usd: 0.5, api_key: "svc_key<b>" })),
    });
    expect([browser.sent, browser.addresses]).toEqual([[], ["/here"]]);
    await browser.click();
    expect([bodies, browser.sent]).toEqual([[{ token }], [operations.verifyAccount.path.slice(1)]]);
    expect(browser.shown()).toEqual([
      "p: The address ada@example.com is verified.",
      "p: 0.50 USD of credit was added to your account.",
      "p: Your API key, shown here and never again:",
      "pre: svc_key<b>",
    ]);
    expect(browser.elements["form"]!.hidden).toBe(true);
    expect(JSON.stringify(edge.logs)).not.toContain(token);
    expect(JSON.stringify(edge.logs)).not.toContain("svc_key");
  });

  test("shows why it was refused, and lets one try again", async () => {
    const browser = await open("/verify", { verifyAccount: () => ({ status: 400, body: { error: { message: "Too old." } } }) });
    await browser.click();
    expect([browser.shown(), browser.elements["form"]!.hidden]).toEqual([["p: Too old."], false]);
  });

  test("without a token there is nothing to click", async () => {
    const browser = await open("/verify", {}, "");
    expect(browser.elements["form"]!.hidden).toBe(true);
    expect(browser.shown()[0]).toMatch(/not complete/);
  });
});

test("the script of /reset-password sends token and password, and shows whose it is", async () => {
  const bodies: unknown[] = [];
  const browser = await open("/reset-password", { resetPassword: (_, { body }) => (bodies.push(body), json({ user })) });
  browser.elements["password"]!.value = "another good phrase";
  await browser.click();
  expect([bodies, browser.sent]).toEqual([[{ token, password: "another good phrase" }], [operations.resetPassword.path.slice(1)]]);
  expect(browser.shown()[0]).toContain("ada@example.com");
  expect(JSON.stringify(edge.logs)).not.toMatch(/another good phrase|svcm_/);
});

describe("/docs/credits", () => {
  test("without a payment provider: ask the operator", async () => {
    edge = await startEdge();
    const { status, text, headers } = await call(edge, "/docs/credits");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).toContain("Ask the operator to add credit");
    expect(text).not.toContain("svc account");
    expect(text).toContain("free_tier: true");
    expect(text).not.toMatch(/<script>|\/v1\/credits\/topup/);
  });

  test("with one: the call that opens a checkout, at this gateway's address", async () => {
    edge = await startEdge({ payments: {} as Payments });
    const { text } = await call(edge, "/docs/credits");
    expect(text).toContain(`curl ${edge.url}/v1/credits/topup`);
    expect(text).not.toMatch(/svc account deposit|sk_test_1|whsec_1/);
  });
});

// What a cache may give to many holds nothing of the one who asked first; what is one caller's is kept by none. And no answer of any kind is
// taken for something else than its content type says.
import { connect } from "node:net";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Operation, operations } from "../../generated/operations.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";

const image = "png-0123456789abcdef.png";
const logLines: string[] = [];
let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ logLines });
  account = await gateway.createAccount({ deposit: "5" });
  const path = join(inject("runFolder"), image);
  writeFileSync(path, "bytes");
  await gateway.context.media.store.put(image, path, "image/png");
});
afterAll(() => gateway.stop());

const all: Operation[] = Object.values(operations);
const publicReads = all.filter(({ auth, method }) => auth === "none" && method === "get").map(({ path }) => path.replace("{id}", "best"));
const pages = ["/docs", "/docs.md", "/docs/errors", "/openapi.json", "/openapi-3.2.json", "/llms.txt", `/media/${image}`];
const own = /^req_[0-9a-f]{32}$/;

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") => fetch(gateway.url + path, { method, headers });

async function assets(): Promise<string[]> {
  const html = await (await ask("/docs", { accept: "text/html" })).text();
  return [...html.matchAll(/(?:href|src)="([^"]*assets\/[^"]+)"/g)].map(([, path]) => new URL(path!, `${gateway.url}/docs`).pathname);
}

describe("an answer that caches may share", () => {
  test("is the same for everybody: its x-request-id is never the caller's, and a page of any origin may read it", async () => {
    const paths = [...publicReads, ...pages, ...(await assets())];
    expect(paths.length).toBeGreaterThan(14);
    for (const path of paths) {
      const asked = { "x-request-id": "mine-1", cookie: "a=b", accept: "text/html" };
      for (const [headers, method] of [
        [asked, "GET"],
        [{ ...asked, origin: "https://app.example" }, "GET"],
        [asked, "HEAD"],
      ] as const) {
        const answer = await ask(path, headers, method);
        const shown = [
          path,
          answer.status,
          answer.headers.get("cache-control")?.split(",")[0],
          answer.headers.get("access-control-allow-origin"),
        ];
        expect(shown).toEqual([path, 200, "public", "*"]);
        expect([path, answer.headers.get("x-request-id")]).toEqual([path, expect.stringMatching(own)]);
        expect([...answer.headers.keys()].filter((name) => /cookie|ratelimit|svc-/.test(name))).toEqual([]);
        expect(await answer.text()).not.toContain("mine-1");
      }
    }
  });

  test("also the 304 of what is known already", async () => {
    for (const path of ["/docs", "/openapi.json", `/media/${image}`]) {
      const etag = (await ask(path)).headers.get("etag")!;
      const known = await ask(path, { "if-none-match": etag, "x-request-id": "mine-1" });
      expect([path, known.status, known.headers.get("x-request-id")]).toEqual([path, 304, expect.stringMatching(own)]);
    }
  });

  test("its line in the log says the id that it was answered with", async () => {
    const answer = await ask("/v1/pricing", { "x-request-id": "mine-2" });
    await answer.text();
    expect(logLines.join("")).toContain(`"request_id":"${answer.headers.get("x-request-id")}"`);
  });
});

describe("an answer that is one caller's", () => {
  test("keeps the caller's x-request-id, and says that no cache may keep it: errors of public and unknown paths too", async () => {
    const key = { authorization: `Bearer ${account.key}`, "x-request-id": "mine-3" };
    for (const [path, method] of [
      ["/v1/models/no-such-model", "GET"],
      ["/v1/models?max_input_price=x", "GET"],
      ["/v1/pricing", "PUT"],
      ["/v1/nothing", "GET"],
      ["/nothing", "GET"],
      ["/docs/nothing", "GET"],
      ["/media/nothing", "GET"],
      ["/v1/credits/topups", "GET"],
      ["/healthz", "GET"],
    ] as const) {
      const answer = await ask(path, key, method);
      const caching = answer.headers.get("cache-control");
      expect([path, answer.headers.get("x-request-id"), caching]).toEqual([path, "mine-3", "no-store"]);
    }
  });
});

describe("x-content-type-options: nosniff", () => {
  test("on every answer: JSON, errors, streams, pages, files, probes, what is no HTTP", async () => {
    const chat = (stream: boolean) => ({ model: "best", messages: [{ role: "user", content: "Hello" }], stream });
    const call = (body: object) => gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
    for (const { status, headers } of [await call(chat(false)), await call(chat(true))])
      expect([status, headers["x-content-type-options"]]).toEqual([200, "nosniff"]);
    const paths = [
      ...publicReads,
      ...pages,
      ...(await assets()),
      "/",
      "/healthz",
      "/readyz",
      "/metrics",
      "/verify",
      "/nothing",
      "/v1/nothing",
    ];
    for (const path of [...paths, "/v1/credits/balance", "/docs/nothing", "/media/nothing"])
      for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) {
        const { headers } = await ask(path, {}, method);
        expect([method, path, headers.get("x-content-type-options")]).toEqual([method, path, "nosniff"]);
      }
    expect(await raw("nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [^]*x-content-type-options: nosniff\r\n/);
  });
});

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (piece) => (received += piece.toString()));
    socket.on("close", () => resolve(received)).on("error", reject);
  });
}

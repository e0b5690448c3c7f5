// The package in a browser, on a page of another origin than the gateway's: no build, no proxy, every header readable.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audioCatalog, characterPrice, minutePrice } from "../clients/audio-upstreams.ts";
import { clientsCatalog } from "../clients/upstreams.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { root } from "./packed.ts";

/** Languages and sound in one catalog. */
function catalog(): string {
  const [one, two] = [clientsCatalog, audioCatalog()].map(
    (text) => JSON.parse(text) as { providers: object[]; models: object[]; aliases: object },
  );
  const merged = { ...one!, providers: [...one!.providers, ...two!.providers], models: [...one!.models, ...two!.models] };
  return JSON.stringify({ ...merged, aliases: { ...one!.aliases, ...two!.aliases } });
}

describe.runIf(chromiumPath !== null)("a page of another origin", () => {
  let gateway: Gateway;
  let site: Server;
  const chromium = useBrowser("the SDK in a browser");
  let page: Page;
  const failures: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ catalog: catalog() });
    site = createServer((request, response) => {
      if (request.url === "/") return void response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
      const path = `${root}generated/sdk${request.url}`;
      if (!/^\/[\w./-]+\.js$/.test(request.url!) || !existsSync(path)) return void response.writeHead(404).end();
      response.setHeader("content-type", "text/javascript").end(readFileSync(path));
    });
    await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
    page = await chromium.browser.newPage();
    page.on("pageerror", (error) => failures.push(String(error)));
    // Chromium says ERR_ABORTED also of bodies that were read to their end, plain fetch's too.
    page.on("requestfailed", (request) => {
      const { errorText } = request.failure()!;
      if (errorText !== "net::ERR_ABORTED") failures.push(`${request.url()} ${errorText}`);
    });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await new Promise((resolve) => void site.close(resolve));
    await gateway.stop();
  });

  /** Runs a function's body in the page, with `svc`, `SvcError` and `given` at hand. */
  async function inPage(body: string, { deposit = "20", given = null }: { deposit?: string; given?: unknown } = {}): Promise<any> {
    const { key } = await gateway.createAccount(deposit === "" ? {} : { deposit });
    const script = `(async (given) => {
      const { default: Svc, SvcError } = await import("/index.js");
      const svc = new Svc({ baseURL: ${JSON.stringify(gateway.url)}, apiKey: ${JSON.stringify(key)}, maxRetries: 0 });
      ${body}
    })(${JSON.stringify(given)})`;
    return page.evaluate(script);
  }
  const messages = [{ role: "user", content: "Hello" }];

  test("asks, with headers, id and cost", async () => {
    const answer = await inPage(
      `const { data, response, requestId, cost } = await svc.chat.completions.create(given).withResponse();
       return { text: data.choices[0].message.content, requestId, cost, alias: response.headers.get("x-svc-alias"), left: response.headers.get("x-ratelimit-remaining-requests") };`,
      { given: { model: "best", messages } },
    );
    expect(answer).toMatchObject({ text: expect.stringMatching(/\w/), requestId: expect.stringMatching(/^req_/), alias: "best" });
    expect(answer.cost).toBeGreaterThan(0);
    expect(Number(answer.left)).toBeGreaterThan(0);
  });

  test("reads a stream, and leaves one", async () => {
    const { count, cost } = await inPage(
      `const stream = await svc.chat.completions.create(given);
       let count = 0;
       for await (const chunk of stream) count += 1;
       for await (const chunk of await svc.chat.completions.create({ ...given, model: "plain/unhurried" })) break;
       return { count, cost: stream.cost };`,
      { given: { model: "plain/chat", messages, stream: true } },
    );
    expect(count).toBeGreaterThan(3);
    expect(cost).toBeGreaterThan(0);
    await expect.poll(() => gateway.simulator.calls().every(({ outcome }) => outcome !== "open")).toBe(true);
  });

  test("gets a refusal with its code and whether to try again", async () => {
    const error = await inPage(
      `const error = await svc.chat.completions.create(given).catch((error) => error);
       return { is: SvcError.is(error, "model_requires_paid"), status: error.status, id: error.requestId, retry: error.headers.get("x-should-retry"), need: error.body.need_usd };`,
      { deposit: "", given: { model: "plain/chat", messages } },
    );
    expect(error).toMatchObject({ is: true, status: 402, id: expect.stringMatching(/^req_/), retry: "false" });
    expect(error.need).toBeGreaterThan(0);
  });

  test("takes sound with its price, and sends a file", async () => {
    const speech = await inPage(
      `const speech = await svc.audio.speech.create(given);
       const blob = await speech.blob();
       return { type: blob.type, size: blob.size, cost: speech.cost };`,
      { given: { model: "say/plain", input: "Good evening." } },
    );
    expect(speech).toMatchObject({ type: "audio/mpeg", cost: expect.closeTo(13 * characterPrice, 8) });
    expect(speech.size).toBeGreaterThan(1000);
    const recording = [...wavFile(2)];
    const heard = await inPage(
      `const { data, cost } = await svc.audio.transcriptions.create({ file: new File([new Uint8Array(given)], "a.wav"), model: "transcribe" }).withResponse();
       return { duration: data.duration, cost };`,
      { given: recording },
    );
    expect(heard).toEqual({ duration: 2, cost: minutePrice });
  });

  test("lists models without asking first: no key goes, so no preflight does", async () => {
    const methods: string[] = [];
    page.on("request", (request) => void (request.url().includes("/v1/models") && methods.push(request.method())));
    const count = await inPage("let count = 0; for await (const row of svc.models.list()) count += 1; return count;");
    expect(count).toBeGreaterThan(10);
    expect(methods).toEqual(["GET"]);
  });

  test("saw no failure", () => {
    expect(failures).toEqual([]);
  });
});

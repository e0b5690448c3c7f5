// Every directive of the queue: at submit, while it waits, in the run's failure and in its answers.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { failures, failureTypes } from "../../src/simulator/fal/failure-types.ts";
import { until } from "../support/eventually.ts";
import { load, run, send, submit } from "./fal-fixture.ts";
import { readVideo, readPng } from "./image-check.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const prompt = "A cat in a boat";
const at = (directives: string) => `pixa/standard+sim-slow-0ms+${directives}`;

describe("at submit, in the queue's words", () => {
  const refused: [string, number, object][] = [
    ["sim-429", 429, { detail: expect.any(String), error_type: "concurrency_limit" }],
    ["sim-fail-503", 503, { detail: expect.any(String) }],
    ["sim-401", 401, { detail: "No user found for Key ID and Secret" }],
    ["sim-quota", 403, { detail: "User is locked. Reason: Exhausted balance." }],
    ["sim-refuse", 422, { detail: [{ loc: ["body", "prompt"], msg: expect.any(String), type: "content_policy_violation" }] }],
    ["sim-refuse-403", 422, { detail: [{ loc: ["body", "prompt"], msg: expect.any(String), type: "content_policy_violation" }] }],
    ["sim-reject", 422, { detail: [{ loc: ["body", "aspect_ratio"], msg: expect.any(String), type: "one_of" }] }],
    ["sim-context", 422, { detail: [{ loc: ["body", "prompt"], msg: expect.any(String), type: "string_too_long" }] }],
    ["sim-nonsense", 400, { detail: expect.stringContaining("no directive"), error_type: "unknown_directive" }],
    ["sim-job-nonsense", 400, { detail: expect.stringContaining("no directive"), error_type: "unknown_directive" }],
  ];
  for (const [directive, status, json] of refused) {
    test(`${directive}: ${status}`, async () => {
      expect(await submit(simulator.current, at(directive))).toMatchObject({ status, json });
    });
  }

  test("headers that tell what may be done again", async () => {
    const limited = await submit(simulator.current, at("sim-429+sim-retry-after-7"));
    expect([limited.headers.get("retry-after"), limited.headers.get("x-fal-error-type")]).toEqual(["7", "concurrency_limit"]);
    expect((await submit(simulator.current, at("sim-refuse"))).headers.get("x-fal-retryable")).toBe("false");
  });

  test("the submit hangs, is reset, is a page, or works the third time", async () => {
    const left = new AbortController();
    const url = `${simulator.current.url}/fal/${at("sim-hang")}`;
    const hanging = fetch(url, { method: "POST", body: JSON.stringify({ prompt }), signal: left.signal });
    await until(() => simulator.current.counters().received === 1);
    left.abort();
    await expect(hanging).rejects.toThrow();
    await expect(submit(simulator.current, at("sim-reset"))).rejects.toThrow();
    await expect(submit(simulator.current, at("sim-html"))).rejects.toThrow(/JSON/);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await submit(simulator.current, at("sim-flaky-2"))).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test("a plus sign may stand encoded in the path", async () => {
    expect((await submit(simulator.current, "pixa/standard%2Bsim-fail-503")).status).toBe(503);
    expect((await submit(simulator.current, "pixa/standard%2")).status).toBe(400);
  });
});

describe("failures of the run: completed, and the result is the error", () => {
  for (const type of failureTypes) {
    const { status, by } = failures[type];
    test(`sim-job-${type}: ${status}, of the ${by}`, async () => {
      const { seen, ...result } = await run(simulator.current, at(`sim-job-${type}`));
      expect(seen.at(-1)).toMatchObject({ status: 200, json: { status: "COMPLETED" } });
      expect(seen.at(-1)!.json).not.toHaveProperty("error");
      expect(result.status).toBe(status);
      const detail = [{ loc: expect.arrayContaining(["body"]), msg: expect.any(String), type, url: expect.any(String) }];
      expect(result.json).toEqual(by === "model" ? { detail } : { detail: expect.any(String), error_type: type });
      const [retryable, named] = [result.headers.get("x-fal-retryable"), result.headers.get("x-fal-error-type")];
      expect([retryable, named]).toEqual(by === "model" ? [String(status >= 500), null] : [null, type]);
    });
  }

  test("the README names every type", () => {
    const readme = readFileSync(new URL("../../src/simulator/README.md", import.meta.url), "utf8");
    expect(failureTypes.filter((type) => !readme.includes(type))).toEqual([]);
  });

  test("sim-policy-WORD says what about; sim-job-fail-N and sim-job-message-N have words of no table", async () => {
    const resultOf = async (directive: string) => (await run(simulator.current, at(directive))).json;
    expect((await resultOf("sim-policy-nsfw")).detail[0]).toMatchObject({
      type: "content_policy_violation",
      msg: expect.stringContaining("NSFW"),
    });
    expect((await resultOf("sim-policy-likeness")).detail[0].msg).toContain("likeness");
    expect((await resultOf("sim-policy-unsafe")).detail[0].msg).toContain("unsafe");
    expect(await run(simulator.current, at("sim-job-fail-422"))).toMatchObject({ status: 422, json: { detail: expect.any(String) } });
    expect(await run(simulator.current, at("sim-job-message-500"))).toMatchObject({ status: 500, json: { message: expect.any(String) } });
  });

  test("sim-slow-Nms: it fails only then; sim-status-error: the look says so, too", async () => {
    const { json: ticket } = await submit(simulator.current, "pixa/standard+sim-slow-600000ms+sim-job-internal_server_error");
    expect((await send(ticket.response_url)).json.detail).toBe("Request is still in progress");
    const { seen } = await run(simulator.current, at("sim-job-runner_disconnected+sim-status-error"));
    expect(seen.at(-1)!.json).toMatchObject({ status: "COMPLETED", error_type: "runner_disconnected", error: expect.any(String) });
    expect((await run(simulator.current, at("sim-status-error"))).seen.at(-1)!.json).not.toHaveProperty("error");
  });

  test("sim-job-hang: in progress for ever", async () => {
    const { json: ticket } = await submit(simulator.current, at("sim-job-hang"));
    for (let look = 0; look < 5; look += 1) expect((await send(ticket.status_url)).json.status).toBe("IN_PROGRESS");
  });
});

describe("looks, results and cancelling that fail", () => {
  test("sim-status-flaky-N, sim-result-flaky-N: N times, then as usual", async () => {
    const { json: ticket } = await submit(simulator.current, at("sim-status-flaky-2+sim-result-flaky-1"));
    const statuses = [];
    for (const url of [ticket.status_url, ticket.status_url, ticket.status_url, ticket.response_url, ticket.response_url])
      statuses.push((await send(url)).status);
    expect(statuses).toEqual([503, 503, 200, 503, 200]);
  });

  test("sim-status-fail-N, sim-result-fail-N, sim-cancel-fail-N: each time", async () => {
    const { json: ticket } = await submit(simulator.current, at("sim-status-fail-404+sim-result-fail-500+sim-cancel-fail-502"));
    for (let look = 0; look < 3; look += 1) expect((await send(ticket.status_url)).status).toBe(404);
    expect((await send(ticket.response_url)).status).toBe(500);
    expect((await send(ticket.cancel_url, "PUT")).status).toBe(502);
  });

  test("sim-status-hang: a look is never answered", async () => {
    const { json: ticket } = await submit(simulator.current, at("sim-status-hang"));
    const left = new AbortController();
    const looking = fetch(ticket.status_url, { signal: left.signal });
    await until(() => simulator.current.counters().received === 2);
    left.abort();
    await expect(looking).rejects.toThrow();
  });

  test("sim-uncancellable goes on anyway; sim-no-cancel-url has no address", async () => {
    const { json: ticket } = await submit(simulator.current, "pixa/standard+sim-queue-1+sim-slow-0ms+sim-uncancellable");
    expect((await send(ticket.cancel_url, "PUT")).status).toBe(202);
    expect((await send(ticket.status_url)).json.status).toBe("IN_QUEUE");
    expect((await send(ticket.status_url)).json.status).toBe("COMPLETED");
    expect((await send(ticket.response_url)).status).toBe(200);
    expect((await submit(simulator.current, at("sim-no-cancel-url"))).json).not.toHaveProperty("cancel_url");
  });
});

describe("what the output tells", () => {
  const output = async (directives: string, input: object = {}) =>
    (await run(simulator.current, at(directives), { prompt, ...input })).json;

  test("sim-job-nsfw: all black and flagged; sim-nsfw-N: the first N", async () => {
    const all = await output("sim-job-nsfw", { num_images: 2, image_size: "square" });
    expect(all.has_nsfw_concepts).toEqual([true, true]);
    expect(new Set(readPng((await load(all.images[1].url)).bytes).palette)).toEqual(new Set([0]));
    const first = await output("sim-nsfw-1", { num_images: 2, image_size: "square" });
    expect(first.has_nsfw_concepts).toEqual([true, false]);
    expect(new Set(readPng((await load(first.images[1].url)).bytes).palette).size).toBeGreaterThan(1);
  });

  test("sim-images-N: fewer or more than asked; sim-one-image: not a list", async () => {
    expect((await output("sim-images-1", { num_images: 4 })).images).toHaveLength(1);
    expect((await output("sim-images-0")).images).toEqual([]);
    expect((await output("sim-images-3")).images).toHaveLength(3);
    const one = await output("sim-one-image", { num_images: 2 });
    expect(one).not.toHaveProperty("images");
    expect((await load(one.image.url)).status).toBe(200);
  });

  test("sim-width-N, sim-height-N: another real size; sim-wrong-size: told, not real; sim-no-size, sim-no-type: not told", async () => {
    const other = (await output("sim-width-300+sim-height-200")).images[0];
    expect(other).toMatchObject({ width: 300, height: 200 });
    expect(readPng((await load(other.url)).bytes)).toMatchObject({ width: 300, height: 200 });
    const wrong = (await output("sim-wrong-size", { image_size: "square" })).images[0];
    expect(wrong).toMatchObject({ width: 1024, height: 1024 });
    expect(readPng((await load(wrong.url)).bytes)).toMatchObject({ width: 512, height: 512 });
    const silent = Object.keys((await output("sim-no-size+sim-no-type")).images[0]);
    expect(silent).toEqual(["url", "file_name", "file_size"]);
  });

  test("videos: sim-seconds-N is longer or shorter than requested, sim-no-duration leaves the duration out", async () => {
    const { json } = await run(simulator.current, "tide/video+sim-seconds-2", { prompt, duration: "5" });
    expect(json.video.duration).toBe(2);
    expect(await readVideo((await load(json.video.url)).bytes)).toMatchObject({ seconds: 2 });
    const { json: silent } = await run(simulator.current, "tide/video+sim-no-duration+sim-no-size", { prompt });
    expect(Object.keys(silent.video)).toEqual(["url", "content_type", "file_name", "file_size"]);
    expect((await run(simulator.current, "tide/video+sim-images-0", { prompt })).json.video).toBeNull();
  });

  test("sim-file-data: the image itself in place of a URL", async () => {
    const { url } = (await output("sim-file-data", { image_size: "square" })).images[0];
    expect(url).toMatch(/^data:image\/png;base64,/);
    expect(readPng(Buffer.from(url.split(",")[1], "base64"))).toMatchObject({ width: 512, height: 512 });
  });
});

// Everything that may be wrong with the files of a finished work.
import { describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { load, run } from "./fal-fixture.ts";
import { readPng } from "./image-check.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const prompt = "A cat in a boat";

/** The URL of an image whose file the directives spoil, and its bytes as they should be. */
async function spoilt(directives: string): Promise<{ url: string; whole: Buffer }> {
  const input = { prompt, image_size: "square" };
  const { json } = await run(simulator.current, `pixa/standard+sim-slow-0ms+${directives}`, input);
  const { json: good } = await run(simulator.current, "pixa/standard+sim-slow-0ms", input);
  return { url: json.images[0].url, whole: (await load(good.images[0].url)).bytes };
}

describe("instead of the file", () => {
  test("sim-file-fail-N: its status; sim-file-flaky-N: the first N fetches of each", async () => {
    expect((await load((await spoilt("sim-file-fail-404")).url)).status).toBe(404);
    const { url, whole } = await spoilt("sim-file-flaky-2");
    expect([(await load(url)).status, (await load(url)).status]).toEqual([503, 503]);
    expect((await load(url)).bytes).toEqual(whole);
  });

  test("sim-file-html: a page; with sim-file-as-jpeg a page that says it is an image; sim-file-empty: nothing", async () => {
    const page = await load((await spoilt("sim-file-html")).url);
    expect([page.status, page.type, page.bytes.toString().slice(0, 15)]).toEqual([200, "text/html; charset=utf-8", "<!doctype html>"]);
    expect((await load((await spoilt("sim-file-html+sim-file-as-jpeg")).url)).type).toBe("image/jpeg");
    expect(await load((await spoilt("sim-file-empty")).url)).toMatchObject({ status: 200, length: "0", type: "image/png" });
  });

  test("sim-file-redirect-N: N redirects, then the file; sim-file-private: to the metadata service", async () => {
    const { url, whole } = await spoilt("sim-file-redirect-3");
    const reply = await fetch(url);
    expect([reply.redirected, Buffer.from(await reply.arrayBuffer())]).toEqual([true, whole]);
    expect(simulator.current.calls().filter(({ status }) => status === 302)).toHaveLength(3);
    const away = await fetch((await spoilt("sim-file-private")).url, { redirect: "manual" });
    expect([away.status, away.headers.get("location")]).toEqual([302, "http://169.254.169.254/latest/meta-data/"]);
  });
});

describe("the file, spoilt", () => {
  const types = { octets: "application/octet-stream", text: "text/plain", html: "text/html", jpeg: "image/jpeg", svg: "image/svg+xml" };
  for (const [word, type] of Object.entries({ ...types, mp4: "video/mp4", none: null })) {
    test(`sim-file-as-${word}: ${type ?? "no"} content type, the bytes of a PNG`, async () => {
      const { url, whole } = await spoilt(`sim-file-as-${word}`);
      expect(await load(url)).toMatchObject({ status: 200, type, bytes: whole });
    });
  }

  test("sim-file-half: as if it were whole; sim-file-cut: the socket dies half way", async () => {
    const half = await spoilt("sim-file-half");
    const { bytes, length } = await load(half.url);
    expect([bytes, length]).toEqual([half.whole.subarray(0, Math.floor(half.whole.length / 2)), String(bytes.length)]);
    expect(() => readPng(bytes)).toThrow();
    await expect(load((await spoilt("sim-file-cut")).url)).rejects.toThrow();
  });

  test("sim-file-bytes-N: a file of N bytes that still decodes; sim-file-no-length: without saying how long", async () => {
    const { url, whole } = await spoilt("sim-file-bytes-3000000");
    const padded = await load(url);
    expect([padded.length, padded.bytes.length]).toEqual(["3000000", 3_000_000]);
    expect(padded.bytes.subarray(0, whole.length)).toEqual(whole);
    const silent = await load((await spoilt("sim-file-bytes-200000+sim-file-no-length")).url);
    expect([silent.length, silent.bytes.length]).toEqual([null, 200_000]);
    expect((await load((await spoilt("sim-file-no-length")).url)).length).toBeNull();
  });

  test("a huge file ends when its reader leaves, and HEAD only tells its length", async () => {
    const { url } = await spoilt("sim-file-bytes-4000000000");
    expect(await load(url, "HEAD")).toMatchObject({ length: "4000000000", bytes: Buffer.alloc(0) });
    const left = new AbortController();
    const reply = await fetch(url, { signal: left.signal });
    await reply.body!.getReader().read();
    left.abort();
    await until(() => simulator.current.counters().aborted === 1);
  });

  test("sim-file-slow-Nms comes late, sim-file-hang never", async () => {
    const { url, whole } = await spoilt("sim-file-slow-20ms");
    expect((await load(url)).bytes).toEqual(whole);
    const hanging = await spoilt("sim-file-hang");
    const received = simulator.current.counters().received;
    const left = new AbortController();
    const waiting = fetch(hanging.url, { signal: left.signal });
    await until(() => simulator.current.counters().received > received);
    left.abort();
    await expect(waiting).rejects.toThrow();
  });
});

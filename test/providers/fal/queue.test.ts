// Work that a fal queue accepted: its states, every form of output, cancelling, and failed polls that say nothing about the work.
import { describe, expect, test } from "vitest";
import { falQueue } from "../../../src/providers/fal/queue.ts";
import { until } from "../../support/eventually.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Answer, startHost, useUpstream } from "../upstream-fixture.ts";
import { callOf, completed, key, look, lookAtResult, startQueue, ticketAt } from "./fal-fixture.ts";

const nothing = { contentType: null, width: null, height: null, seconds: null, fps: null };
const url = "https://files.example.com/a.png";

describe("how far it is", () => {
  test.each([
    ["waiting", 202, '{"status":"IN_QUEUE","queue_position":3,"response_url":"x"}'],
    ["running", 202, '{"status":"IN_PROGRESS","logs":null}'],
    ["running", 202, '{"status":"WARMING_UP"}'],
    ["running", 200, '{"status":"IN_PROGRESS","logs":[{"message":"10%"}],"error":null}'],
  ] as const)("%s: %i %s, and its result is not asked for", async (kind, status, body) => {
    const host = await startQueue(json(status, body));
    expect(await look(host)).toEqual({ kind });
    expect(host.requests).toMatchObject([
      { method: "GET", url: "/vendor/image/requests/r-1/status", headers: { authorization: `Key ${key}` } },
    ]);
  });

  test("complete by its status, not yet by its result: running", async () => {
    expect(await lookAtResult(json(400, '{"detail":"Request is still in progress"}'))).toEqual({ kind: "running" });
    expect(await lookAtResult(json(202, '{"status":"IN_PROGRESS"}'))).toEqual({ kind: "running" });
  });
});

describe("what was made", () => {
  const said = { url, width: 1024, height: 768, content_type: "image/png", file_name: "a.png", file_size: 9 };
  test.each([
    [
      "images",
      { images: [said, { url: `${url}?2` }], seed: 1, has_nsfw_concepts: [false, false], timings: { inference: 1 } },
      [
        { ...nothing, source: { url }, contentType: "image/png", width: 1024, height: 768 },
        { ...nothing, source: { url: `${url}?2` } },
      ],
    ],
    ["one image", { image: said }, [{ ...nothing, source: { url }, contentType: "image/png", width: 1024, height: 768 }]],
    ["addresses alone", { images: [url] }, [{ ...nothing, source: { url } }]],
    [
      "a video with its cover",
      { video: { url, content_type: "video/mp4", width: 1280, height: 720, duration: 5.04, fps: 24 }, image: said },
      [{ source: { url }, contentType: "video/mp4", width: 1280, height: 720, seconds: 5.04, fps: 24 }],
    ],
    [
      "a video without any details",
      { video: { url, width: null, duration: "5" }, seed: 3, audio: { url } },
      [{ ...nothing, source: { url } }],
    ],
    ["invalid figures", { images: [{ url, width: -1, height: 0 }] }, [{ ...nothing, source: { url } }]],
  ])("%s", async (_what, output, files) => {
    expect(await lookAtResult(JSON.stringify(output))).toEqual({ kind: "made", files });
  });

  test.each([10, 50_000])("a data URL of %i bytes is its bytes", async (size) => {
    const bytes = Buffer.alloc(size, 7);
    const output = { images: [{ url: `data:image/webp;base64,${bytes.toString("base64")}` }] };
    expect(await lookAtResult(JSON.stringify(output))).toEqual({
      kind: "made",
      files: [{ ...nothing, source: { bytes }, contentType: "image/webp" }],
    });
  });

  test("a field called error among a model's output is no error", async () => {
    expect(await lookAtResult(`{"images":["${url}"],"error":""}`)).toMatchObject({ kind: "made" });
  });

  test("a flag that is no list counts as one", async () => {
    const error = await expectFault(lookAtResult(`{"image":"${url}","has_nsfw_concepts":true}`), "failed");
    expect(error.job).toMatchObject({ code: "content_policy_nsfw" });
  });

  test("one image blacked out: failed as content_policy_nsfw", async () => {
    const error = await expectFault(lookAtResult(`{"images":["${url}","${url}"],"has_nsfw_concepts":[false,true]}`), "failed");
    expect(error.job).toEqual({ code: "content_policy_nsfw", word: "has_nsfw_concepts" });
  });

  test.each([
    '{"images":[]}',
    '{"seed":1}',
    '{"audio":{"url":"https://a.example.com/a.mp3"}}',
    '{"images":[{"url":"file:///etc/passwd"}]}',
  ])("%s: the work has failed, no file came of it", async (output) => {
    const error = await expectFault(lookAtResult(output), "failed");
    expect(error.job).toEqual({ code: "provider_error", word: "no_media_generated" });
  });
});

describe("polls that failed", () => {
  test.each(["", "<html>", '{"status"', "[]", "{}", '{"status":7}'])("%s as the status: unreadable", async (body) => {
    await expectFault(look(await startQueue(body)), "unreadable");
  });

  test.each(["", "<html>", '{"images":['])("%s as the result: unreadable", async (body) => {
    await expectFault(lookAtResult(body), "unreadable");
  });

  const refusal = '{"detail":[{"loc":["body","prompt"],"msg":"Bad","type":"content_policy_violation"}]}';
  test.each([
    [500, '{"detail":"Internal Server Error"}', "unavailable"],
    [502, "<html>Bad Gateway</html>", "unavailable"],
    [400, '{"detail":"Bad request"}', "unavailable"],
    [422, refusal, "unavailable"],
    [401, '{"detail":"Invalid key"}', "our_fault"],
    [403, '{"detail":"Forbidden"}', "our_fault"],
    [404, '{"detail":"Not found"}', "gone"],
    [429, '{"detail":"Too many requests"}', "rate_limited"],
  ] as const)("a status of %i %s: %s, which says nothing about the work", async (status, body, fault) => {
    const error = await expectFault(look(await startQueue(json(status, body))), fault);
    expect(error.job).toBeNull();
  });

  test("connection refused: unavailable", async () => {
    const host = await startHost((request) => void request.socket.destroy());
    await expectFault(look(host), "unavailable");
  });

  test.each(["/status", "r-1"])("an abort while %s is awaited leaves no socket", async (silent) => {
    const host = await startHost((request, response) => void (request.url!.endsWith(silent) || response.end(completed)));
    const upstream = useUpstream();
    const stop = new AbortController();
    const looked = look(host, { upstream, signal: stop.signal });
    await until(() => host.requests.some((request) => request.url.endsWith(silent)));
    stop.abort(new Error("enough"));
    await expect(looked).rejects.toThrow("enough");
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });
});

describe("cancelling", () => {
  const cancel = async (answer: Answer, cancelUrl?: null) => {
    const host = await startHost(answer);
    const ticket = ticketAt(host);
    await falQueue(useUpstream()).cancel(callOf(host), cancelUrl === null ? { ...ticket, cancelUrl } : ticket);
    return host;
  };

  test.each([
    [202, '{"status":"CANCELLATION_REQUESTED"}'],
    [200, ""],
    [400, '{"status":"ALREADY_COMPLETED"}'],
    [404, '{"status":"NOT_FOUND"}'],
  ])("%i %s is fine", async (status, body) => {
    const host = await cancel(json(status, body));
    expect(host.requests).toMatchObject([
      { method: "PUT", url: "/vendor/image/requests/r-1/cancel", headers: { authorization: `Key ${key}` } },
    ]);
  });

  test("work that can't be cancelled is left alone", async () => {
    expect((await cancel(json(500, ""), null)).requests).toEqual([]);
  });

  test("an error of the queue is one", async () => {
    await expectFault(cancel(json(503, "")), "unavailable");
    await expectFault(cancel(json(401, "")), "our_fault");
  });
});

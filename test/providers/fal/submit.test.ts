// Submits to a fal queue: what is sent, and both forms of the answer.
import { describe, expect, test } from "vitest";
import { until } from "../../support/eventually.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Host, startHost, useUpstream } from "../upstream-fixture.ts";
import { key, image, submitVideo, submitImage, ticketAnswer } from "./fal-fixture.ts";

const startTickets = () =>
  startHost((request, response, body) => json(200, ticketAnswer({ url: "http://queue.example.com" }))(request, response, body));
const inputOf = (host: Host) => JSON.parse(host.requests[0]!.body) as unknown;

describe("what is sent", () => {
  test("POST /{model} below the base URL with the key, our request's id, and the job's as the idempotency key", async () => {
    const host = await startTickets();
    await submitImage(host);
    expect(host.requests).toMatchObject([{ method: "POST", url: "/queue/vendor/image/pro" }]);
    expect(host.requests[0]!.headers).toMatchObject({
      authorization: `Key ${key}`,
      "content-type": "application/json",
      "x-request-id": "req_test",
      "idempotency-key": "job_1",
    });
  });

  test("an image: its size in both forms, the count, no field that was not asked for", async () => {
    const host = await startTickets();
    await submitImage(host);
    expect(inputOf(host)).toEqual({
      prompt: "a lighthouse",
      num_images: 2,
      image_size: { width: 1344, height: 768 },
      aspect_ratio: "16:9",
    });
  });

  test("a size of no aspect, quality, references under both names", async () => {
    const host = await startTickets();
    const references = ["https://a.example.com/1.png", "https://a.example.com/2.png"];
    await submitImage(host, { aspect: null, quality: "high", references });
    expect(inputOf(host)).toEqual({
      prompt: "a lighthouse",
      num_images: 2,
      image_size: { width: 1344, height: 768 },
      quality: "high",
      image_url: references[0],
      image_urls: references,
    });
  });

  test("`extra` goes along, and never over what the endpoint decided", async () => {
    const host = await startTickets();
    await submitImage(host, { extra: { seed: 7, prompt: "other", num_images: 9, image_size: "square_hd" } });
    expect(inputOf(host)).toMatchObject({ seed: 7, prompt: image.prompt, num_images: 2, image_size: image.size });
  });

  test("a video: the duration as text", async () => {
    const host = await startTickets();
    await submitVideo(host);
    expect(inputOf(host)).toEqual({ prompt: "waves", duration: "5" });
  });

  test("a video's first frame, sound track, aspect and extra", async () => {
    const host = await startTickets();
    const [firstFrame, soundTrack] = ["https://a.example.com/1.png", "https://a.example.com/1.mp3"];
    await submitVideo(host, { firstFrame, soundTrack, aspect: "9:16", extra: { cfg_scale: 0.5, duration: "99" } });
    const expected = { image_url: firstFrame, audio_url: soundTrack, aspect_ratio: "9:16", cfg_scale: 0.5, duration: "5" };
    expect(inputOf(host)).toEqual({ prompt: "waves", ...expected });
  });
});

describe("what comes back", () => {
  test("a ticket, its addresses as they are, on whatever origin", async () => {
    const base = "http://queue.example.com/vendor/image/requests/r-1";
    expect(await submitImage(await startTickets())).toEqual({
      kind: "accepted",
      ticket: { id: "r-1", statusUrl: `${base}/status`, responseUrl: base, cancelUrl: `${base}/cancel` },
    });
  });

  test("a ticket that can't be cancelled", async () => {
    const host = await startHost(json(202, ticketAnswer({ url: "http://q.example.com" }, { cancel_url: null })));
    expect(await submitImage(host)).toMatchObject({ kind: "accepted", ticket: { cancelUrl: null } });
  });

  test("an output at once, from a host that doesn't queue", async () => {
    const host = await startHost(json(200, '{"images":[{"url":"https://f.example.com/a.png"}],"seed":1}'));
    expect(await submitImage(host)).toMatchObject({ kind: "made", files: [{ source: { url: "https://f.example.com/a.png" } }] });
  });

  test.each([
    ["an empty answer", ""],
    ["no JSON", "<html>ok</html>"],
    ["cut JSON", '{"request_id":"r'],
    ["an array", "[]"],
    ["neither ticket nor output", '{"status":"IN_QUEUE"}'],
    ["a ticket without addresses", '{"request_id":"r-1"}'],
    ["a ticket with a URL that can't be called", ticketAnswer({ url: "ftp://q.example.com" })],
    ["a ticket with an oversized id", ticketAnswer({ url: "http://q.example.com" }, { request_id: "r".repeat(201) })],
  ])("%s: unreadable", async (_what, body) => {
    await expectFault(submitImage(await startHost(json(200, body))), "unreadable");
  });

  test("an abort while the queue is silent: the signal's reason, and no socket left", async () => {
    const host = await startHost(() => undefined);
    const upstream = useUpstream();
    const stop = new AbortController();
    const submitted = submitImage(host, {}, { upstream, signal: stop.signal });
    await until(() => host.requests.length === 1);
    stop.abort(new Error("enough"));
    await expect(submitted).rejects.toThrow("enough");
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });
});

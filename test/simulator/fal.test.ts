// The queue: taken, looked at, fetched, cancelled; and real files of the size and length that were asked for.
import { imageSize } from "image-size";
import { describe, expect, test } from "vitest";
import { load, run, send, submit } from "./fal-fixture.ts";
import { readVideo, readPng } from "./image-check.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const prompt = "A cat in a boat";

describe("the way of a work", () => {
  test("submit answers with addresses of owner and app under the host that was asked", async () => {
    const { status, json } = await submit(simulator.current, "ember/flash-image/edit/fast+sim-queue-3");
    const address = `${simulator.current.url}/fal/ember/flash-image/requests/${json.request_id}`;
    expect([status, json]).toEqual([
      200,
      {
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: "IN_QUEUE",
        queue_position: 3,
        response_url: address,
        status_url: `${address}/status`,
        cancel_url: `${address}/cancel`,
      },
    ]);
  });

  test("202 in the queue and in progress, 200 when completed; the result is early until then", async () => {
    const { json: ticket } = await submit(simulator.current, "ember/flash-image+sim-queue-2+sim-progress-1+sim-slow-0ms");
    expect(await send(ticket.response_url)).toMatchObject({ status: 400, json: { detail: "Request is still in progress" } });
    const looks = [];
    for (let look = 0; look < 4; look += 1) looks.push(await send(`${ticket.status_url}?logs=1`));
    expect(looks.map(({ status, json }) => [status, json.status, json.queue_position])).toEqual([
      [202, "IN_QUEUE", 1],
      [202, "IN_QUEUE", 0],
      [202, "IN_PROGRESS", undefined],
      [200, "COMPLETED", undefined],
    ]);
    expect(looks[2]!.json.logs).toEqual([expect.objectContaining({ message: expect.any(String) })]);
    expect(looks[3]!.json.metrics).toEqual({ inference_time: 0 });
    expect(await send(ticket.response_url)).toMatchObject({ status: 200, json: { images: [{}] } });
  });

  test("without directives it takes a moment; sim-slow-Nms delays the work, not the submit", async () => {
    expect((await run(simulator.current, "pixa/standard")).seen.at(-1)!.json.status).toBe("COMPLETED");
    const { json: ticket } = await submit(simulator.current, "pixa/standard+sim-slow-600000ms");
    expect((await send(ticket.status_url)).json.status).toBe("IN_QUEUE");
    expect((await send(ticket.status_url)).json.status).toBe("IN_PROGRESS");
  });

  test("the same submit twice is two works, whatever key it carries, and both are recorded", async () => {
    const headers = { "idempotency-key": "one", "x-request-id": "one", authorization: "Key a:b" };
    const body = JSON.stringify({ prompt });
    const url = `${simulator.current.url}/fal/pixa/standard`;
    const ids = [];
    for (let call = 0; call < 2; call += 1) {
      const reply = await fetch(url, { method: "POST", headers, body });
      ids.push(((await reply.json()) as { request_id: string }).request_id);
    }
    expect(new Set(ids).size).toBe(2);
    const submits = simulator.current.calls().filter(({ method }) => method === "POST");
    expect(submits).toHaveLength(2);
    expect(submits[0]).toMatchObject({ model: "pixa/standard", json: { prompt }, headers: { authorization: "Key a:b" }, status: 200 });
  });

  test("cancel: 202 and the work ends as cancelled; 400 once completed; 404 for another's and an unknown one", async () => {
    const { json: running } = await submit(simulator.current, "pixa/standard+sim-job-hang");
    expect(await send(running.cancel_url, "PUT")).toMatchObject({ status: 202, json: { status: "CANCELLATION_REQUESTED" } });
    expect((await send(running.status_url)).json.status).toBe("COMPLETED");
    expect(await send(running.response_url)).toMatchObject({ status: 499, json: { error_type: "client_cancelled" } });
    const { json: done } = await submit(simulator.current, "pixa/standard+sim-slow-0ms");
    expect(await send(done.cancel_url, "PUT")).toMatchObject({ status: 400, json: { status: "ALREADY_COMPLETED" } });
    const base = `${simulator.current.url}/fal`;
    expect((await send(`${base}/other/app/requests/${done.request_id}/cancel`, "PUT")).status).toBe(404);
    expect((await send(`${base}/pixa/standard/requests/none/status`)).status).toBe(404);
    expect((await send(`${base}/pixa/standard/requests/none`)).status).toBe(404);
    expect((await send(done.status_url, "DELETE")).status).toBe(404);
    expect((await send(`${base}/pixa`, "POST", {})).status).toBe(404);
  });

  test("reset() forgets the calls, not the work", async () => {
    const { json: ticket } = await submit(simulator.current, "pixa/standard+sim-slow-0ms");
    simulator.current.reset();
    expect((await send(ticket.response_url)).status).toBe(200);
  });
});

describe("images", () => {
  const sizes: [object, number, number][] = [
    [{}, 1024, 1024],
    [{ image_size: { width: 640, height: 333 } }, 640, 333],
    [{ image_size: { width: 2048, height: 2048 } }, 2048, 2048],
    [{ image_size: "landscape_16_9" }, 1024, 576],
    [{ aspect_ratio: "16:9" }, 1368, 768],
    [{ aspect_ratio: "1:1", resolution: "2K" }, 2048, 2048],
  ];
  for (const [input, width, height] of sizes) {
    test(`${JSON.stringify(input)}: a PNG of ${width}x${height} that decodes`, async () => {
      const { json } = await run(simulator.current, "pixa/standard", { prompt, ...input });
      const [image] = json.images;
      const file = await load(image.url);
      expect(image).toMatchObject({ width, height, content_type: "image/png", file_size: file.bytes.length });
      expect(readPng(file.bytes)).toMatchObject({ width, height });
      expect(imageSize(file.bytes)).toMatchObject({ width, height, type: "png" });
    });
  }

  test("output_format jpeg: a JPEG of the size", async () => {
    const { json } = await run(simulator.current, "pixa/standard", {
      prompt,
      output_format: "jpeg",
      image_size: { width: 1021, height: 333 },
    });
    const file = await load(json.images[0].url);
    expect([json.images[0].content_type, file.type]).toEqual(["image/jpeg", "image/jpeg"]);
    expect(imageSize(file.bytes)).toMatchObject({ width: 1021, height: 333, type: "jpg" });
    expect(file.bytes.subarray(-2).toString("hex")).toBe("ffd9");
  });

  test("as many as asked, each another; the same order again gives the same bytes, another prompt others", async () => {
    const input = { prompt, num_images: 3, image_size: "square" };
    const bytesOf = async (more: object) => {
      const { json } = await run(simulator.current, "pixa/standard", { ...input, ...more });
      return Promise.all(json.images.map(async ({ url }: { url: string }) => (await load(url)).bytes.toString("base64")));
    };
    const first = await bytesOf({});
    expect(new Set(first).size).toBe(3);
    expect(await bytesOf({})).toEqual(first);
    expect(await bytesOf({ prompt: "A dog" })).not.toEqual(first);
    expect(await bytesOf({ seed: 7 })).not.toEqual(first);
  });

  test("the document around them: seed, timings, the checker's verdicts, the prompt", async () => {
    const { json, headers } = await run(simulator.current, "pixa/standard", { prompt, seed: 7, num_images: 2 });
    expect(json).toMatchObject({ seed: 7, timings: { inference: 0.03 }, has_nsfw_concepts: [false, false], prompt });
    expect(headers.get("x-fal-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("HEAD says type and length, and brings nothing", async () => {
    const { json } = await run(simulator.current, "pixa/standard");
    const head = await load(json.images[0].url, "HEAD");
    expect(head).toEqual({ status: 200, type: "image/png", length: String(json.images[0].file_size), bytes: Buffer.alloc(0) });
    expect((await load(json.images[0].url.replace("/0.png", "/1.png"))).status).toBe(404);
  });

  for (const model of ["atelier/vector", "pixa/standard+sim-svg"]) {
    test(`${model}: an SVG with its size and the prompt's words, escaped`, async () => {
      const input = { prompt: `<script>alert("1")</script> & more\u0001`, image_size: { width: 1820, height: 1024 } };
      const { json } = await run(simulator.current, model, input);
      const { bytes, type } = await load(json.images[0].url);
      expect([type, json.images[0].content_type]).toEqual(["image/svg+xml", "image/svg+xml"]);
      expect(imageSize(bytes)).toMatchObject({ width: 1820, height: 1024, type: "svg" });
      expect(bytes.toString()).toContain(`&lt;script&gt;alert("1")&lt;/script&gt; &amp; more</text>`);
      expect(bytes.toString()).not.toContain("<script>");
    });
  }
});

describe("videos", () => {
  const videos: [object, number, number, number][] = [
    [{}, 5, 1280, 720],
    [{ duration: "10", aspect_ratio: "9:16" }, 10, 720, 1280],
    [{ duration: "8s", aspect_ratio: "16:9" }, 8, 1280, 720],
    [{ duration: 2.5, aspect_ratio: "1:1" }, 2.5, 720, 720],
  ];
  for (const [input, seconds, width, height] of videos) {
    test(`${JSON.stringify(input)}: an MP4 of ${seconds} s, ${width}x${height}, 24 frames a second`, async () => {
      const { json } = await run(simulator.current, "tide/video", { prompt, ...input });
      const { bytes, type } = await load(json.video.url);
      expect(json.video).toMatchObject({ content_type: "video/mp4", width, height, duration: seconds, fps: 24, file_size: bytes.length });
      expect(type).toBe("video/mp4");
      const read = await readVideo(bytes);
      expect(read).toMatchObject({ seconds, width, height, packetCount: seconds * 24 });
      expect(read.fps).toBeCloseTo(24);
      expect(read.type).toContain("avc1.4d40");
      expect(Math.min(...read.sizes)).toBeGreaterThan(20);
    });
  }
});

describe("input that the run doesn't take: the queue takes it, the result is a 422", () => {
  const wrong: [string, object, string][] = [
    ["pixa/standard", {}, "missing"],
    ["pixa/standard", { prompt, num_images: 0 }, "greater_than"],
    ["pixa/standard", { prompt, num_images: 11 }, "less_than_equal"],
    ["pixa/standard", { prompt, image_size: "huge" }, "one_of"],
    ["pixa/standard", { prompt, image_size: { width: 20_000, height: 1 } }, "less_than_equal"],
    ["pixa/standard", { prompt, image_size: { width: 0, height: 1 } }, "greater_than"],
    ["pixa/standard", { prompt, aspect_ratio: "wide" }, "one_of"],
    ["pixa/standard", { prompt: "x".repeat(32_001) }, "string_too_long"],
    ["canvas/edit", { prompt }, "missing"],
    ["canvas/edit", { prompt, image_urls: ["file:///etc/passwd"] }, "file_download_error"],
    ["tide/video", { prompt, duration: "long" }, "one_of"],
    ["tide/video", { prompt, duration: 9000 }, "less_than_equal"],
  ];
  for (const [model, input, type] of wrong) {
    test(`${model} ${JSON.stringify(input).slice(0, 60)}: ${type}`, async () => {
      const { status, json } = await run(simulator.current, model, input);
      expect([status, json.detail[0].type]).toEqual([422, type]);
      expect(json.detail[0].loc[0]).toBe("body");
    });
  }

  test("a body that is no document is refused at once", async () => {
    expect(await submit(simulator.current, "pixa/standard", "{")).toMatchObject({ status: 400, json: { detail: expect.any(String) } });
  });
});

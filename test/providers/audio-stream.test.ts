// Bounds of streamed audio, whatever its host does.
import { test } from "vitest";
import type { AudioBody } from "../../src/providers/verbs/audio.ts";
import { streamAudio } from "../../src/providers/transport/audio-stream.ts";
import { until } from "../support/eventually.ts";
import { bytesOf, callTo } from "./audio-fixture.ts";
import { expectFault } from "./openai/chat-fixture.ts";
import { type Host, startHost, useUpstream } from "./upstream-fixture.ts";

const idle = new AbortController().signal;
const limits = { bytesMax: 1_000_000, startMs: 60_000, wholeMs: 60_000 };

async function answerOf(host: Host) {
  const { route, requestId } = callTo(host);
  const bare = { provider: route.provider, method: "GET" as const, path: "/", body: null, contentType: "", accept: "*/*" };
  return (await useUpstream().send({ ...bare, requestId, signal: idle })).body;
}
/** A byte every few milliseconds, without end. */
const dripping = () =>
  startHost((_request, response) => {
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => clearInterval(timer));
  });
/** Reads the host's bytes, of which none is audio. */
const silent = (body: AudioBody): AudioBody => ({ read: () => body.read(() => undefined), cancel: body.cancel });

test("more bytes than any text gives", async () => {
  const host = await startHost((_request, response) => {
    const more = () => void response.write(Buffer.alloc(50_000), (error) => error ?? setImmediate(more));
    more();
  });
  const made = await streamAudio(await answerOf(host), null, idle, limits);
  await expectFault(bytesOf(made), "unreadable");
  await until(() => host.sockets.size === 0);
});

test("a host that sends anything but audio", async () => {
  const host = await dripping();
  await expectFault(streamAudio(silent(await answerOf(host)), null, idle, { ...limits, startMs: 100 }), "unavailable");
  await until(() => host.sockets.size === 0);
});

test("a byte now and then, for ever", async () => {
  const host = await dripping();
  const made = await streamAudio(await answerOf(host), null, idle, { ...limits, wholeMs: 300 });
  await expectFault(bytesOf(made), "unavailable");
  await until(() => host.sockets.size === 0);
});

test("a reader's own time is not the host's", async () => {
  const host = await startHost((_request, response) => void response.end("xxxx"));
  const made = await streamAudio(await answerOf(host), null, idle, { ...limits, wholeMs: 300 });
  if (made.kind !== "stream") throw new Error("a stream was expected");
  await made.body.read(() => new Promise<void>((resolve) => void setTimeout(resolve, 600)));
});

test("a whole answer that drips for ever", async () => {
  const host = await dripping();
  await expectFault(Promise.resolve((await answerOf(host)).bytes(1_000_000, 100)), "unavailable");
  await until(() => host.sockets.size === 0);
});

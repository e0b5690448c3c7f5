// What was made, collected whole within its bounds, and its length.
import { describe, expect, test } from "vitest";
import { collectAudio, measureMade } from "../../src/audio/make-audio.ts";
import type { AudioBody } from "../../src/providers/verbs/audio.ts";

const megabyte = 1024 * 1024;

function bodyOf(pieces: number, bytes: number): AudioBody & { given: number; cancelled: boolean } {
  const body = {
    given: 0,
    cancelled: false,
    async read(onChunk: (chunk: Buffer) => void | Promise<void>) {
      for (; body.given < pieces; body.given++) await onChunk(Buffer.alloc(bytes, body.given));
    },
    cancel: () => void (body.cancelled = true),
  };
  return body;
}

describe("collecting", () => {
  test("gives every piece in its order", async () => {
    const bytes = await collectAudio({ kind: "stream", body: bodyOf(3, 2) });
    expect(bytes).toEqual(Buffer.from([0, 0, 1, 1, 2, 2]));
  });

  test("64 MB are taken; a byte more is unreadable, and the upstream is stopped", async () => {
    expect((await collectAudio({ kind: "stream", body: bodyOf(64, megabyte) })).length).toBe(64 * megabyte);
    const endless = bodyOf(Infinity, megabyte);
    await expect(collectAudio({ kind: "stream", body: endless })).rejects.toMatchObject({ fault: "unreadable" });
    expect([endless.given, endless.cancelled]).toEqual([64, true]);
    await expect(collectAudio({ kind: "whole", bytes: Buffer.alloc(64 * megabyte + 1) })).rejects.toMatchObject({ fault: "unreadable" });
  });
});

test.each([
  ["pcm_16000", 32_000, 1],
  ["pcm_22050", 44_100, 1],
  ["pcm_44100", 100, 0.001],
  ["ulaw_8000", 20_004, 2.501],
] as const)("%s of %d bytes lasts %d seconds", async (format, bytes, seconds) => {
  expect(await measureMade({} as never, Buffer.alloc(bytes), format, new AbortController().signal)).toBe(seconds);
});

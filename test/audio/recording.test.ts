// The errors of recordings that can't be read: whose fault it is, and which field is named.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fetchRecording, readRecording } from "../../src/audio/recording.ts";
import { MediaFault, type AudioKind } from "../../src/media/types.ts";
import { GatewayStopping } from "../../src/calls/ask.ts";

const folder = mkdtempSync(join(tmpdir(), "recording-"));
const path = join(folder, "file");
afterAll(() => rmSync(folder, { recursive: true }));

const signal = new AbortController().signal;
const wav: AudioKind = { extension: "wav", contentType: "audio/wav" };
const media = (more: { kind?: AudioKind | null; seconds?: number; measuring?: unknown; fetching?: unknown } = {}) => ({
  audioKindOf: async () => (more.kind === undefined ? wav : more.kind),
  measureAudio: async () => {
    if (more.measuring !== undefined) throw more.measuring;
    return more.seconds ?? 1;
  },
  async fetchAudio(_: string, path: string) {
    if (more.fetching !== undefined) throw more.fetching;
    writeFileSync(path, "twelve bytes");
  },
});

test("a recording's length is shown to the millisecond, and billed as shown", async () => {
  expect(await readRecording(media({ seconds: 60.00049 }), { path, bytes: 5 }, "file", signal)).toEqual({
    file: { path, bytes: 5, ...wav },
    seconds: 60,
  });
  expect(await readRecording(media({ seconds: 60.0006 }), { path, bytes: 5 }, "file", signal)).toMatchObject({ seconds: 60.001 });
});

test("one at an address is as many bytes long as were loaded", async () => {
  const { file } = await fetchRecording(media(), { url: "https://files.test/a.wav", path }, signal);
  expect(file).toEqual({ path, bytes: 12, ...wav });
});

describe.each([
  ["file", (parts: ReturnType<typeof media>) => readRecording(parts, { path, bytes: 5 }, "file", signal)],
  ["audio_url", (parts: ReturnType<typeof media>) => fetchRecording(parts, { url: "https://files.test/a.wav", path }, signal)],
] as const)("of %s", (param, read) => {
  test.each([
    [new MediaFault("invalid", "Nothing in it can be decoded."), "invalid_parameter", "Nothing in it can be decoded"],
    [new MediaFault("too_large", "The recording is longer than 24 hours."), "request_too_large", "The recording is longer than 24 hours"],
  ])("%s is %s", async (measuring, code, reason) => {
    await expect(read(media({ measuring }))).rejects.toMatchObject({ code, details: { param, text: { reason } } });
  });

  test("another kind is unsupported_audio_type", async () => {
    await expect(read(media({ kind: null }))).rejects.toMatchObject({ code: "unsupported_audio_type" });
  });

  test("a gateway that stops meanwhile is overloaded, and unexpected errors stay as they are", async () => {
    await expect(read(media({ measuring: new GatewayStopping() }))).rejects.toMatchObject({ code: "overloaded" });
    await expect(read(media({ measuring: new Error("the disk is full") }))).rejects.toThrow("the disk is full");
  });
});

test.each([
  [new MediaFault("unreachable", "The file at the address could not be loaded."), "invalid_parameter"],
  [new MediaFault("invalid", "The address does not lead to a public host."), "invalid_parameter"],
  [new MediaFault("too_large", "The file is larger than 100 MB."), "request_too_large"],
])("an address that can't be loaded is its caller's: %s is %s", async (fetching, code) => {
  const loading = fetchRecording(media({ fetching }), { url: "https://files.test/a.wav", path }, signal);
  await expect(loading).rejects.toMatchObject({ code, details: { param: "audio_url" } });
});

// Durations of recordings: what ffmpeg decodes, and never less than their headers claim.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audioKindOf } from "../../src/media/audio/kind.ts";
import { type Lab, extensionOf, lengths, openLab, patched, recording, recordingPath, uint32, uint32le, withPages } from "./recordings.ts";

let lab: Lab;
beforeAll(async () => void (lab = await openLab()));
afterAll(async () => {
  await lab.close();
  expect(lab.names()).toEqual([]);
});

const hours = 36_000;
const unknown = uint32(0xffffffff);
const measureFile = (name: string) => lab.measure(recording(name), extensionOf(name));

describe.each(Object.entries(lengths))("%s", (name, seconds) => {
  test("its kind is recognised by its bytes", async () => {
    expect((await audioKindOf(recordingPath(name)))?.extension).toBe(extensionOf(name));
  });
  test("lasts as long as ffmpeg says", async () => {
    const measured = await measureFile(name);
    expect(measured).toBeGreaterThanOrEqual(seconds);
    expect(measured).toBeLessThan(seconds + 0.07);
  });
  test("cut anywhere: shorter, or a fault", async () => {
    const whole = (await measureFile(name)) as number;
    const bytes = recording(name);
    for (let part = 1; part < 40; part++) {
      const measured = await lab.measure(bytes.subarray(0, Math.floor((bytes.length * part) / 40)), extensionOf(name));
      if (typeof measured === "number") expect(measured).toBeLessThanOrEqual(whole);
      else expect(measured).toBe("invalid");
    }
  });
});

type Lie = [name: string, lie: string, change: (bytes: Buffer) => Buffer];

describe("headers that promise less, or speak of something else, change nothing", () => {
  const lies: Lie[] = [
    ["tone-vbr.mp3", "one frame in Xing", (bytes) => patched(bytes, "Xing", 8, uint32(1))],
    ["tone-vbr.mp3", "no number of frames in Xing", (bytes) => patched(bytes, "Xing", 4, uint32(0))],
    ["tone.wav", "samples of no length, a stream", (bytes) => patched(bytes, "data", 4, uint32le(0))],
    ["tone.wav", "all bits, FFmpeg's stream", (bytes) => patched(bytes, "data", 4, uint32le(0xffffffff))],
    ["tone.wav", "the largest signed number, SoX' stream", (bytes) => patched(bytes, "data", 4, uint32le(0x7ffff000))],
    ["tone.wav", "the header's bytes counted, too", (bytes) => patched(bytes, "data", 4, uint32le(16_078))],
    ["tone.wav", "a rate of bytes", (bytes) => patched(bytes, "fmt ", 16, uint32le(1))],
    ["tone.wav", "a length of the whole", (bytes) => patched(bytes, "RIFF", 4, uint32le(1))],
    ["tone.m4a", "a duration of nothing", (bytes) => patched(patched(bytes, "mvhd", 20, uint32(1)), "mdhd", 20, uint32(1))],
    ["tone.m4a", "durations that aren't known", (bytes) => patched(patched(bytes, "mvhd", 20, unknown), "mdhd", 20, unknown)],
    ["tone.m4a", "packets of ten minutes", (bytes) => patched(bytes, "stts", 12, uint32(600 * 44_100))],
    ["tone.m4a", "packets that aren't there", (bytes) => patched(bytes, "stsz", 12, uint32(0xffffffff))],
    ["tone.m4a", "another rate in its entry", (bytes) => patched(bytes, "mp4a", 28, uint32(96_000 * 0x8000))],
    ["tone-fragments.m4a", "durations in fragments", (bytes) => patched(bytes, "trex", 16, uint32(0x7fffffff))],
    ["tone.ogg", "positions that begin late", (bytes) => withPages(bytes, (page) => page.writeBigInt64LE(BigInt(hours * 48_000), 6))],
    ["tone.ogg", "positions of nothing", (bytes) => withPages(bytes, (page) => page.writeBigInt64LE(0n, 6))],
    ["tone.ogg", "an end on every page", (bytes) => withPages(bytes, (page) => void (page[5]! |= 4))],
    ["tone.ogg", "an end on no page", (bytes) => withPages(bytes, (page) => void (page[5]! &= 3))],
    ["tone.webm", "a cluster's time", (bytes) => patched(bytes, "\x1f\x43\xb6\x75", 8, Buffer.from([0x7f]))],
    ["tone.webm", "no duration", (bytes) => patched(bytes, "\x44\x89\x88", 3, Buffer.alloc(8))],
    ["tone.flac", "no samples in STREAMINFO", (bytes) => patched(bytes, "fLaC", 22, uint32(0))],
    ["tone.flac", "the samples of the whole that it was copied from", (bytes) => patched(bytes, "fLaC", 22, uint32(20 * 8_000))],
  ];
  test.each(lies)("%s: %s", async (name, _lie, change) => {
    const bytes = recording(name);
    const changed = change(bytes);
    expect(changed.equals(bytes)).toBe(false);
    expect(await lab.measure(changed, extensionOf(name))).toBe(await lab.measure(bytes, extensionOf(name)));
  });
});

describe("headers that promise ten hours are refused", () => {
  const lies: Lie[] = [
    ["tone-vbr.mp3", "frames in Xing", (bytes) => patched(bytes, "Xing", 8, uint32(hours * 38))],
    ["tone.mp3", "frames in VBRI", (bytes) => withVbri(bytes, hours * 38)],
    ["tone.wav", "samples beyond the end", (bytes) => patched(bytes, "data", 4, uint32le(hours * 8_000))],
    ["tone.m4a", "its duration", (bytes) => patched(bytes, "mdhd", 20, uint32(hours * 44_100))],
    ["tone.m4a", "the film's duration", (bytes) => patched(bytes, "mvhd", 20, uint32(hours * 1_000))],
    ["film.mp4", "the film's duration", (bytes) => patched(bytes, "mvhd", 20, uint32(hours * 1_000))],
    ["tone-fragments.m4a", "its duration", (bytes) => patched(bytes, "mdhd", 20, uint32(hours * 44_100))],
    [
      "tone.ogg",
      "the last position",
      (bytes) => withPages(bytes, (page) => page[5]! & 4 && page.writeBigInt64LE(BigInt(hours * 48_000), 6)),
    ],
    [
      "tone-vorbis.ogg",
      "the last position",
      (bytes) => withPages(bytes, (page) => page[5]! & 4 && page.writeBigInt64LE(BigInt(hours * 44_100), 6)),
    ],
    ["tone.webm", "its duration", (bytes) => patched(bytes, "\x44\x89\x88", 3, Buffer.from("4182000000000000", "hex"))],
    ["tone.flac", "samples in STREAMINFO", (bytes) => patched(bytes, "fLaC", 22, uint32(hours * 8_000))],
  ];
  test.each(lies)("%s: %s", async (name, _lie, change) => {
    expect(await lab.fault(change(recording(name)), extensionOf(name))).toMatch(
      /^The recording is cut off: it holds [\d.]+ s of the \d{5} s that it promises\.$/,
    );
  });
  test("its sentence names both", async () => {
    const lie = patched(recording("tone.wav"), "data", 4, uint32le(hours * 8_000));
    expect(await lab.fault(lie, "wav")).toBe("The recording is cut off: it holds 2 s of the 36000 s that it promises.");
  });
});

describe("cut in half: refused where a header shows it", () => {
  test.each(Object.keys(lengths))("%s", async (name) => {
    const bytes = recording(name);
    const half = await lab.measure(bytes.subarray(0, bytes.length >> 1), extensionOf(name));
    // A stream of WAV has no end to miss.
    if (name === "tone-stream.wav") expect(half).toBeCloseTo(1, 1);
    else expect(half).toBe("invalid");
  });
  test("an MP3 without a count is measured", async () => {
    const bytes = withVbri(recording("tone.mp3"), 0);
    expect(await lab.measure(bytes.subarray(0, bytes.length >> 1), "mp3")).toBeCloseTo(1, 1);
  });
  test("a film with an index at its front", async () => {
    const bytes = recording("film.mp4");
    expect(await lab.fault(bytes.subarray(0, bytes.length - 200), "m4a")).toBe(
      "The recording is cut off: its file ends in the middle of it.",
    );
  });
});

describe("what belongs to a recording", () => {
  const id3 = (bytes: number) =>
    Buffer.concat([
      Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, bytes >> 21, (bytes >> 14) & 127, (bytes >> 7) & 127, bytes & 127]),
      Buffer.alloc(bytes, "x"),
    ]);
  test("an MP3 after a cover image of 3 MB, with ID3v1 and APE tags at its end", async () => {
    const ape = Buffer.concat([Buffer.from("APETAGEX"), uint32le(2000), uint32le(64), Buffer.alloc(16), Buffer.alloc(64)]);
    const tagged = Buffer.concat([id3(3_000_000), recording("tone.mp3"), ape, Buffer.from("TAG"), Buffer.alloc(125)]);
    expect(await lab.kind(tagged)).toBe("mp3");
    expect(await lab.measure(tagged, "mp3")).toBe(await measureFile("tone.mp3"));
  });
  test("two MP3s joined last as long as both", async () => {
    const joined = Buffer.concat([recording("tone.mp3"), recording("tone-vbr.mp3")]);
    expect(await lab.measure(joined, "mp3")).toBeCloseTo(
      ((await measureFile("tone.mp3")) as number) + ((await measureFile("tone-vbr.mp3")) as number),
      0,
    );
  });
  test("two Ogg files chained, and FLAC behind an ID3 tag", async () => {
    const chained = Buffer.concat([recording("tone.ogg"), recording("tone-vorbis.ogg")]);
    expect(await lab.measure(chained, "ogg")).toBeCloseTo(4.03, 2);
    const tagged = Buffer.concat([id3(70_000), recording("tone.flac")]);
    expect(await lab.kind(tagged)).toBe("flac");
    expect(await lab.measure(tagged, "flac")).toBe(2);
  });
  test("some damage in the middle of an MP3 is passed over", async () => {
    const bytes = recording("tone.mp3");
    bytes.fill(0, 4_000, 4_300);
    expect(await lab.measure(bytes, "mp3")).toBeGreaterThan(1.9);
  });
});

test("many at once are measured", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => measureFile("tone.flac")));
  expect(new Set(all)).toEqual(new Set([2]));
});

/** Its first frame's index as another encoder writes it. */
function withVbri(file: Buffer, frames: number): Buffer {
  const bytes = Buffer.from(file);
  const at = bytes.indexOf("Info");
  bytes.write("None", at);
  const start = bytes.lastIndexOf(0xff, at);
  bytes.write("VBRI", start + 36);
  bytes.writeUInt32BE(frames, start + 50);
  return bytes;
}

// Invalid and hostile recordings: each ends with an error in time and leaves nothing on disk.
import { readdirSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAudioMeter } from "../../src/media/audio/measure-audio.ts";
import { fixture, fixturePath } from "./file-server.ts";
import {
  type Extension,
  type Lab,
  box,
  m4a,
  m4aSamplesAt,
  oggPage,
  openLab,
  patched,
  recording,
  recordingPath,
  uint32,
  uint32le,
} from "./recordings.ts";
import { sized } from "../support/size.ts";

let lab: Lab;
beforeAll(async () => void (lab = await openLab()));
afterAll(async () => {
  await lab.close();
  expect(lab.names()).toEqual([]);
});

const extensions: Extension[] = ["mp3", "wav", "m4a", "ogg", "webm", "flac"];
const never = new AbortController().signal;

describe("the wrong type", () => {
  test.each(["tone.aac", "README.md"])("%s is not a recording", async (name) => {
    expect(await lab.kind(recording(name))).toBeNull();
  });
  test.each(["picture.png", "picture.jpg", "picture.avif", "clip.mov", "tls-key.pem"])("%s is not a recording", async (name) => {
    expect(await lab.kind(fixture(name))).toBeNull();
  });
  test.each(["\x1f\x8b\x08", "PK\x03\x04", "GIF89a", "%PDF-1.7", "\0\0\0\0", "ID3"])(
    "%j before an MP3 is not a recording",
    async (head) => {
      expect(await lab.kind(Buffer.concat([Buffer.from(head, "latin1"), recording("tone.mp3")]))).toBeNull();
    },
  );
  test("nothing at all", async () => {
    for (const length of [0, 1, 3, 9]) expect(await lab.kind(Buffer.alloc(length))).toBeNull();
  });
  test.each(["tone-speex.ogg", "film-silent.mp4"])("%s: no sound that is taken", async (name) => {
    expect(await lab.measure(recording(name), name.endsWith("ogg") ? "ogg" : "m4a")).toBe("invalid");
  });
});

describe.each(extensions)("as %s", (extension) => {
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a byte", Buffer.from("x")],
    ["zeros", Buffer.alloc(300_000)],
    ["ones", Buffer.alloc(300_000, 0xff)],
    ["noise", Buffer.from(Array.from({ length: 300_000 }, (_, index) => (Math.imul(index + 1, 2_654_435_761) >>> 13) & 255))],
    ["a picture", fixture("picture.jpg")],
  ])("%s is invalid", async (_title, bytes) => {
    expect(await lab.measure(bytes, extension)).toBe("invalid");
  });
  test.each(extensions.filter((other) => other !== extension))("a file of %s is invalid", async (other) => {
    expect(await lab.measure(recording(`tone.${other}`), extension)).toBe("invalid");
  });
});

describe("polyglots: the part that makes up the file is billed", () => {
  const many = (name: string, times: number) => Buffer.concat(Array.from({ length: times }, () => recording(name)));
  test.each(extensions)("a short file of %s before minutes of another", async (extension) => {
    const other = extension === "mp3" ? "tone.ogg" : "tone.mp3";
    expect(await lab.measure(Buffer.concat([recording(`tone.${extension}`), many(other, 60)]), extension)).toBe("invalid");
  });
  test("an MP3 behind a foreign head", async () => {
    expect(await lab.measure(Buffer.concat([fixture("picture.jpg"), Buffer.alloc(9_000, "x"), recording("tone.mp3")]), "mp3")).toBe(
      "invalid",
    );
  });
  test("a WAV whose samples end early, and one that hides them in a chunk of another name", async () => {
    expect(await lab.measure(patched(recording("tone.wav"), "data", 4, uint32le(800)), "wav")).toBe("invalid");
    const hidden = Buffer.concat([Buffer.from("hide"), uint32le(1_000_000), Buffer.alloc(1_000_000, 0x55)]);
    expect(await lab.measure(Buffer.concat([recording("tone.wav"), hidden]), "wav")).toBe("invalid");
  });
  test("an M4A whose tables name a part of its packets", async () => {
    expect(await lab.measure(m4a({ sizes: [0, 2, 200, 200], chunks: [m4aSamplesAt], perChunk: 2 }, Buffer.alloc(20_000)), "m4a")).toBe(
      "invalid",
    );
  });
  test("an M4A whose padding is the greater part", async () => {
    expect(await lab.measure(Buffer.concat([recording("tone.m4a"), box("hide", Buffer.alloc(1_000_000))]), "m4a")).toBe("invalid");
  });
});

describe("bombs: longer than a day is refused, however small", () => {
  test("FLAC", async () => {
    const silence = recording("silence.flac");
    const head = silence.subarray(0, silence.indexOf(Buffer.from([0xff, 0xf8])));
    const frame = silence.subarray(head.length, silence.indexOf(Buffer.from([0xff, 0xf8]), head.length + 2));
    expect(await lab.measure(Buffer.concat([head, ...Array<Buffer>(1_200_000).fill(frame)]), "flac")).toBe("too_large");
  });
  test("Opus", async () => {
    const head = Buffer.concat([Buffer.from("OpusHead\x01\x01"), Buffer.alloc(9)]);
    const first = [oggPage(2, [head]), oggPage(0, [Buffer.from("OpusTags")])];
    const page = oggPage(0, Array<Buffer>(255).fill(Buffer.from([0x1b, 2])));
    expect(await lab.measure(Buffer.concat([...first, ...Array<Buffer>(100).fill(page)]), "ogg")).toBe(255 * 100 * 0.12);
    expect(await lab.measure(Buffer.concat([...first, ...Array<Buffer>(3_000).fill(page)]), "ogg")).toBe("too_large");
  });
  test("MP3", async () => {
    const frame = Buffer.alloc(72);
    frame.writeUInt32BE(0xffe318c4); // 8 kHz, 8 kbit/s: a kilobyte a second
    const hour = Array<Buffer>(50_000).fill(frame);
    expect(await lab.measure(Buffer.concat(hour), "mp3")).toBeCloseTo(3_600, 0);
    expect(await lab.measure(Buffer.concat(Array<Buffer>(1_201_000).fill(frame)), "mp3")).toBe("too_large");
  });
  test("AAC in packets of a byte", async () => {
    const samples = Buffer.alloc(4_000_000);
    expect(await lab.measure(m4a({ sizes: [1, 4_000_000], chunks: [m4aSamplesAt], perChunk: 4_000_000 }, samples), "m4a")).toBe(
      "too_large",
    );
    const some = m4a({ sizes: [0, 3, 100, 100, 100], chunks: [m4aSamplesAt], perChunk: 3 }, Buffer.alloc(300));
    expect(await lab.measure(some, "m4a")).toBeCloseTo((3 * 1024) / 44_100, 6);
  });
  test("WAV of a rate that nothing has", async () => {
    for (const rate of [1, 999, 768_001, 0xffffffff])
      expect(await lab.measure(patched(recording("tone.wav"), "fmt ", 12, uint32le(rate)), "wav")).toBe("invalid");
  });
});

describe("indexes that lead round in circles, or out of the file", () => {
  test("chunks upon one another", async () => {
    const sizes = [0, 3_000, ...Array<number>(3_000).fill(100)];
    const chunks = Array<number>(1_000).fill(m4aSamplesAt);
    expect(await lab.measure(m4a({ sizes, chunks, perChunk: 3 }, Buffer.alloc(400)), "m4a")).toBe("invalid");
  });
  test("packets beyond the end, without end", async () => {
    const bytes = m4a({ sizes: [1_000, 0xffffffff], chunks: [0x7fffffff], perChunk: 0xffffffff }, Buffer.alloc(400));
    expect(await lab.measure(bytes, "m4a")).toBe("invalid");
  });
  test("fragments of four thousand million packets", async () => {
    const bytes = patched(recording("tone-fragments.m4a"), "trun", 8, uint32(0xffffffff));
    // Never longer than the audio that is present.
    expect([await lab.measure(recording("tone-fragments.m4a"), "m4a"), "invalid"]).toContain(await lab.measure(bytes, "m4a"));
  });
  test("an endless video", async () => {
    const endless = await lab.measure(fixture("clip-endless.mp4"), "m4a");
    expect(endless).toBe("invalid");
  });
  test("a million empty boxes", async () => {
    expect(await lab.measure(Buffer.concat(Array<Buffer>(1_000_000).fill(box("free"))), "m4a")).toBe("invalid");
  });
  test.each(extensions)("%s with every byte turned, one after another", async (extension) => {
    const bytes = recording(`tone.${extension}`);
    const whole = (await lab.measure(bytes, extension)) as number;
    for (let at = 0; at < 600; at += sized(3, 12)) {
      const turned = Buffer.from(bytes);
      turned[at]! ^= 0xff;
      const measured = await lab.measure(turned, extension);
      // A rate or a count of channels is all that a header can change.
      if (typeof measured === "number") expect(measured).toBeLessThan(whole * 50);
      else expect(["invalid", "too_large"]).toContain(measured);
    }
  });
});

describe("searches that would take many times the file's length are given up", () => {
  test("headers of FLAC that nothing follows", async () => {
    const bytes = recording("tone.flac");
    const at = bytes.indexOf(Buffer.from([0xff, 0xf8]));
    const header = bytes.subarray(at, at + 10);
    expect(await lab.fault(Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(300_000).fill(header)]), "flac")).toMatch(
      /does not belong/,
    );
  });
  test("pages of Ogg that aren't right", async () => {
    const wrong = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(22), Buffer.alloc(256, 255)]);
    const many = Buffer.concat([...Array<Buffer>(8_000).fill(wrong), Buffer.alloc(70_000)]);
    const honest = Array<Buffer>(6_000).fill(recording("tone.ogg"));
    expect(await lab.fault(Buffer.concat([...honest, many]), "ogg")).toMatch(/does not belong/);
  });
  test("packets of an M4A that lie by turns at both ends of the file", async () => {
    const opus = {
      sizes: [1, 8_000],
      chunks: Array.from({ length: 8_000 }, (_, index) => m4aSamplesAt + (index % 2) * 3_000_000),
      perChunk: 1,
    };
    const bytes = patched(m4a(opus, Buffer.alloc(3_000_010, 0xf8)), "mp4a", 0, Buffer.from("Opus"));
    expect(await lab.fault(bytes, "m4a")).toMatch(/damaged/);
  });
});

describe("the threads", () => {
  test("one that takes too long is ended, and the next recording is measured", async () => {
    const meter = openAudioMeter({ timeoutMs: 0 });
    const order = { path: recordingPath("tone.flac"), extension: "flac" };
    await expect(meter.measure(order, never)).rejects.toMatchObject({ reason: "overloaded", message: /no time/ });
    await meter.close();
    const patient = openAudioMeter();
    expect(await patient.measure(order, never)).toBe(2);
    await patient.close();
  });
  test("a client that disconnects ends the wait with its reason; one that is disconnected waits for nothing", async () => {
    const meter = openAudioMeter();
    const leaving = new AbortController();
    const order = { path: fixturePath("clip-endless.mp4"), extension: "m4a" };
    const measured = meter.measure(order, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(measured).rejects.toThrow("left");
    await expect(meter.measure(order, leaving.signal)).rejects.toThrow("left");
    await meter.close();
  });
  test("a file that isn't there is a fault of ours, and the next one is measured", async () => {
    const meter = openAudioMeter();
    await expect(meter.measure({ path: "/nowhere", extension: "mp3" }, never)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await meter.measure({ path: recordingPath("tone.flac"), extension: "flac" }, never)).toBe(2);
    await meter.close();
  });
  test("no file stays open", async () => {
    expect(await lab.measure(recording("tone.flac"), "flac")).toBe(2);
    const open = readdirSync("/proc/self/fd").filter((descriptor) => targetOf(descriptor).includes("svc-media-"));
    expect(open).toEqual([]);
  });
});

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

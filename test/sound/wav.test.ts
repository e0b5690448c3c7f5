// WAV files: what is read, and what is refused.
import { describe, expect, test } from "vitest";
import { readWav } from "../../src/sound/formats.ts";

interface Header {
  tag?: number;
  channels?: number;
  sampleRate?: number;
  bits?: number;
  before?: Buffer;
  dataLength?: number;
}

function wav(
  data: Buffer,
  { tag = 1, channels = 1, sampleRate = 24_000, bits = 16, before = Buffer.alloc(0), dataLength = data.length }: Header = {},
) {
  const head = Buffer.alloc(24);
  head.write("fmt ", 0, "latin1");
  head.writeUInt32LE(16, 4);
  head.writeUInt16LE(tag, 8);
  head.writeUInt16LE(channels, 10);
  head.writeUInt32LE(sampleRate, 12);
  head.writeUInt16LE(bits, 22);
  const dataHead = Buffer.from("data\0\0\0\0", "latin1");
  dataHead.writeUInt32LE(dataLength, 4);
  return Buffer.concat([Buffer.from("RIFF\xff\xff\xff\xffWAVE", "latin1"), before, head, dataHead, data]);
}

const samples = (...values: number[]) => Buffer.from(Int16Array.from(values).buffer);

describe("read", () => {
  test("one channel, as it is", () => {
    expect(readWav(wav(samples(1, -2, 3)))).toEqual({ sampleRate: 24_000, pcm: samples(1, -2, 3) });
  });
  test("two channels become their mean", () => {
    expect(readWav(wav(samples(10, 20, -32_768, -32_768), { channels: 2, sampleRate: 44_100 }))).toEqual({
      sampleRate: 44_100,
      pcm: samples(15, -32_768),
    });
  });
  test("behind other chunks, of odd length too", () => {
    expect(readWav(wav(samples(7), { before: Buffer.from("LIST\x03\0\0\0abc\0", "latin1") }))!.pcm).toEqual(samples(7));
  });
  test.each([0xffff_ffff, 100])("a length beyond the file (%i): read to the end", (dataLength) => {
    expect(readWav(wav(Buffer.concat([samples(7), Buffer.from([1])]), { dataLength }))!.pcm).toEqual(samples(7));
  });
});

describe("none of ours", () => {
  test.each([
    ["floats", wav(samples(1, 2), { tag: 3, bits: 32 })],
    ["24 bits", wav(samples(1, 2, 3), { bits: 24 })],
    ["no channel", wav(samples(1), { channels: 0 })],
    ["an unsupported sample rate", wav(samples(1), { sampleRate: 44_101 })],
    ["another file", Buffer.from("ID3 and so on and on")],
    ["a file cut inside its head", wav(samples(1)).subarray(0, 30)],
    ["nothing", Buffer.alloc(0)],
  ])("%s", (_what, file) => {
    expect(readWav(file)).toBeNull();
  });
});

// Conversions: the result is in the named format, a tone keeps its pitch, and how a stream was cut changes nothing.
import { MPEGDecoder } from "mpg123-decoder";
import { describe, expect, test } from "vitest";
import { convertPiece, convertWhole, openConversion, openSampleCutter, pcmOf, samplesOf } from "../../src/sound/convert.ts";
import { type AudioFormat, audioFormats } from "../../src/sound/formats.ts";
import { openResampler } from "../../src/sound/resample.ts";
import { loudness, loudnessAt, tone, tonePcm } from "./tones.ts";
import { drawn } from "../support/size.ts";

const formats = Object.keys(audioFormats) as AudioFormat[];
const never = new AbortController().signal;

/** Samples of a file in any of the eight formats, by decoders that are not ours. */
async function heard(bytes: Buffer, format: AudioFormat): Promise<{ samples: Float32Array; sampleRate: number }> {
  const { encoding, sampleRate } = audioFormats[format];
  if (encoding === "pcm") return { samples: samplesOf(bytes), sampleRate };
  if (encoding === "ulaw") return { samples: Float32Array.from(bytes, decodeMuLaw), sampleRate };
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate: rate, errors } = decoder.decode(bytes);
  decoder.free();
  expect(errors).toEqual([]);
  expect(channelData.length === 1 || channelData[0]!.every((sample, at) => sample === channelData[1]![at])).toBe(true);
  return { samples: channelData[0]!, sampleRate: rate };
}

/** As the table of G.711 has it. */
function decodeMuLaw(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32_768;
}

describe.each(drawn([24_000, 44_100, 8_000, 48_000], 2))("from %i Hz", (from) => {
  test.each(formats)("%s: the rate of its name, as long as before, the tone in its place and as loud", async (format) => {
    const pcm = tonePcm(1_000, from, 1.5);
    const { samples, sampleRate } = await heard(await convertWhole(pcm, from, format, never), format);
    expect(sampleRate).toBe(audioFormats[format].sampleRate);
    expect(samples.length / sampleRate).toBeCloseTo(1.5, audioFormats[format].encoding === "mp3" ? 0 : 3);
    expect(loudnessAt(1_000, samples, sampleRate)).toBeCloseTo(0.5, 1);
    const rest = Math.sqrt(Math.max(0, loudness(samples) ** 2 - loudnessAt(1_000, samples, sampleRate) ** 2));
    expect(rest).toBeLessThan(0.03);
  });

  test.each(formats)("%s: however the stream was cut, the bytes are the same", async (format) => {
    const pcm = Buffer.concat([tonePcm(440, from, 0.4), Buffer.from([1])]); // half a sample too much
    const whole = await convertWhole(pcm, from, format, never);
    const conversion = await openConversion(from, format);
    const pieces: Buffer[] = [];
    for (let at = 0, size = 1; at < pcm.length; at += size, size = (size * 3) % 1_001)
      pieces.push(conversion.push(pcm.subarray(at, at + size)));
    const cut = Buffer.concat([...pieces, conversion.end()]);
    expect(cut.equals(whole)).toBe(true);
  });
});

test.each([
  ["mp3_44100_128", 128],
  ["mp3_44100_192", 192],
  ["mp3_22050_32", 32],
] as const)("%s has a constant bit rate of %i kbit/s, in frames that follow each other", async (format, kbps) => {
  const bytes = await convertWhole(tonePcm(440, 24_000, 3), 24_000, format, never);
  const { sampleRate } = audioFormats[format];
  const versionOne = sampleRate === 44_100;
  const rates = versionOne
    ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  let frames = 0;
  for (let at = 0; at < bytes.length; frames += 1) {
    const head = bytes.readUInt32BE(at);
    expect(head >>> 17).toBe(versionOne ? 0x7ffd : 0x7ff9); // sync, version 1 or 2, layer 3
    expect(rates[(head >>> 12) & 15]).toBe(kbps);
    expect((head >>> 6) & 3).toBe(3); // one channel
    at += Math.floor(((versionOne ? 144_000 : 72_000) * kbps) / sampleRate) + ((head >>> 9) & 1);
  }
  expect(frames).toBeGreaterThan(100);
});

describe("resampling", () => {
  const rates = [
    [24_000, 8_000],
    [44_100, 8_000],
    [24_000, 22_050],
    [44_100, 16_000],
  ] as const;
  test.each(rates)("from %i to %i Hz, a tone that the lower rate can't hold is removed instead of aliased", (from, to) => {
    const resampler = openResampler(from, to);
    const made = resampler.push(tone(to / 2 + 250, from, 1));
    expect(loudness(made)).toBeLessThan(0.001);
  });

  test.each([...rates, [24_000, 44_100], [8_000, 48_000]] as const)(
    "from %i to %i Hz, tones up to four fifths of what both hold keep their loudness",
    (from, to) => {
      for (const share of [0.01, 0.3, 0.6, 0.8]) {
        const hertz = (share * Math.min(from, to)) / 2;
        const made = openResampler(from, to).push(tone(hertz, from, 1));
        expect(loudnessAt(hertz, made, to)).toBeCloseTo(0.5, 2);
        expect(Math.abs(loudness(made) - loudnessAt(hertz, made, to))).toBeLessThan(0.001);
      }
    },
  );

  test.each([1, 7, 24_000])("%i samples give their share, no more and no less", (count) => {
    const resampler = openResampler(24_000, 44_100);
    const made = resampler.push(new Float32Array(count)).length + resampler.end().length;
    expect(made).toBe(Math.ceil((count * 147) / 80));
  });

  test("nothing gives nothing", () => {
    expect(openResampler(24_000, 8_000).end()).toHaveLength(0);
  });
});

describe("samples", () => {
  test("louder than full scale is cut, never wrapped", () => {
    expect([...new Int16Array(new Uint8Array(pcmOf(new Float32Array([2, -2, 1, -1, 0, NaN]))).buffer)].slice(0, 5)).toEqual([
      32_767, -32_768, 32_767, -32_768, 0,
    ]);
  });

  test("half a sample waits for its other half", () => {
    const cut = openSampleCutter();
    expect(
      [cut(Buffer.from([1])), cut(Buffer.from([2, 3])), cut(Buffer.from([4])), cut(Buffer.from([5]))].map((piece) => [...piece]),
    ).toEqual([[], [1, 2], [3, 4], []]);
  });

  test("mu-law as G.711 has it", async () => {
    const values = [0, 1_000, -1_000, 32_767, -32_768, 8, -8, 12_345];
    const pcm = Buffer.from(Int16Array.from(values).buffer);
    expect((await convertWhole(pcm, 8_000, "ulaw_8000", never)).toString("hex")).toBe("ffce4e8000fe7e97");
  });

  test("every mu-law byte survives decoding and encoding", async () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x7f); // minus zero
    const pcm = pcmOf(Float32Array.from(bytes, decodeMuLaw));
    expect([...(await convertWhole(pcm, 8_000, "ulaw_8000", never))]).toEqual(bytes);
  });
});

describe("long sounds", () => {
  test("others have their turn while one is converted", async () => {
    let turns = 0;
    let over = false;
    const others = (async () => {
      while (!over) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    })();
    const pcm = tonePcm(440, 24_000, 20);
    await convertWhole(pcm, 24_000, "mp3_44100_128", never);
    over = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual(Math.floor(pcm.length / 32_768));
  });

  test("an abort stops it", async () => {
    const abort = new AbortController();
    const converting = convertWhole(tonePcm(440, 24_000, 20), 24_000, "mp3_44100_128", abort.signal);
    abort.abort(new Error("the client disconnected"));
    await expect(converting).rejects.toThrow("the client disconnected");
  });

  test("a reader that waits is waited for", async () => {
    const conversion = await openConversion(24_000, "pcm_16000");
    let open = 0;
    await convertPiece(conversion, tonePcm(440, 24_000, 3), async () => {
      open += 1;
      expect(open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open -= 1;
    });
  });
});

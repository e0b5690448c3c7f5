// A video as an MP4 file of any length: real H.264 frames over and over, put into the file by mediabunny.

interface VideoFacts {
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** `aspect` is 16:9, 9:16 or 1:1, anything else 16:9; lasts at least one frame. */
export function videoFacts(aspect: string, seconds: number): VideoFacts {
  const { width, height } = footageOf(aspect);
  return { width, height, seconds: framesIn(seconds) / framesPerSecond, fps: framesPerSecond };
}

/** The same bytes for the same aspect and length. */
export async function makeVideo(aspect: string, seconds: number): Promise<Buffer> {
  // Loaded with the first video, as it is large.
  const { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } = await import("mediabunny");
  const footage = footageOf(aspect);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const track = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(track, { frameRate: framesPerSecond });
  await output.start();
  const frames = footage.frames.map((frame) => withLength(Buffer.from(frame, "base64"), 4));
  for (let at = 0; at < framesIn(seconds); at += 1) {
    const index = at % frames.length;
    const packet = new EncodedPacket(frames[index]!, index === 0 ? "key" : "delta", at / framesPerSecond, 1 / framesPerSecond);
    await track.add(packet, { decoderConfig: decoderConfig(footage) });
  }
  await output.finalize();
  return withoutTimeOfDay(Buffer.from(target.buffer!));
}

function footageOf(aspect: string): Footage {
  return aspect === "9:16" ? portrait : aspect === "1:1" ? square : landscape;
}

function framesIn(seconds: number): number {
  return Math.max(1, Math.round(seconds * framesPerSecond));
}

/** ISO 14496-15: profile and level as the sequence says them, lengths of four bytes, one set of each kind. */
function decoderConfig({ width, height, sequence, picture }: Footage): VideoDecoderConfig {
  const [sps, pps] = [Buffer.from(sequence, "base64"), Buffer.from(picture, "base64")];
  const level = sps.subarray(1, 4);
  const description = Buffer.concat([Buffer.of(1), level, Buffer.of(0xff, 0xe1), withLength(sps, 2), Buffer.of(1), withLength(pps, 2)]);
  return { codec: `avc1.${level.toString("hex")}`, codedWidth: width, codedHeight: height, description };
}

function withLength(unit: Buffer, bytes: number): Buffer {
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(unit.length, 0, bytes);
  return Buffer.concat([length, unit]);
}

/** When a file was made and changed, which mediabunny takes from the clock: behind version and flags in three boxes. */
function withoutTimeOfDay(file: Buffer): Buffer {
  for (const box of ["mvhd", "tkhd", "mdhd"]) file.fill(0, file.indexOf(box) + 8, file.indexOf(box) + 16);
  return file;
}

// A few frames of real H.264 in each shape: a key frame and three that hardly change, 24 a second, made once with x264
// (main profile, a flat ground with a square). Repeated they are a video of any length.

interface Footage {
  width: number;
  height: number;
  /** NAL units in base64, without start codes. */
  sequence: string;
  picture: string;
  frames: readonly string[];
}

const framesPerSecond = 24;

const landscape: Footage = {
  width: 1280,
  height: 720,
  sequence: "Z01AMqYRAUAW7ARAAAADAEAAAAwDxgyEYA==",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAAwABJ4jTW9Gs8a1wAAADAAAfxFgAy1CJntm+8xSmaF8P5jr1FBJgsnsp6UHoRDAx" +
      "EvnQAAAJ2D7azY9vPMHjXr/jzUZVH4AAAhDPFiJQArrJkAJGSzACL8twAiYvSAIOL4gCAbfAA3mZIAKUJX4fPfR7FMhefy8C56PxyMIuCdaLQAAA" +
      "D2A4gACvzgAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwACAw==",
    "QZodiGf/AACqsRaQQ/njv24aLlQENTSAAAADAAADAAADAAADAAADAAADAA+Y",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeQ==",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeA==",
  ],
};

const portrait: Footage = {
  width: 720,
  height: 1280,
  sequence: "Z01AMqYRAtAobARAAAADAEAAAAwDxgyEYA==",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAJZl81qEYfKggAAADAVC8RAYwhLoEn6JZR5ebcuwILE9wAsnsp6UHoRDBREvnwAAu" +
      "UKFJY9u2WxMK+5COdiUbAALfoNAOy2WwJSddFxFtzibemszBNdmKbDMklWrSZrpImNPiy8vl4Fz0fjkYRcEy0WgABAgMODrZQAAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAE1E=",
    "QZodiGf/AAnTEWkEP5479uGi5UOappAAAAMAAAMAAAMAAAMAAAMAAAMAAA3o",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeQ==",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeA==",
  ],
};

const square: Footage = {
  width: 720,
  height: 720,
  sequence: "Z01AKKYRAtBbsBEAAAMAAQAAAwAwDxgyEYA=",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAJZl81qEYfKggAAADAVC8RAYwhLoEn6JZR5ebcuwILE9wAsnsp6UHoRDBREvnwAAu" +
      "UKFJY9u2WxMK+5COdiUbAALfoNAOy2WwJSddFxFtzibemszBNdmKbDMklWrSZrpImNPiy8vl4Fz0fjkYRcEy0WgABAgMODrZQAAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwA4oQ==",
    "QZodiGf/AAnTEWkEP5479uGi5UOappAAAAMAAAMAAAMARcA=",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAK2E=",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAK2A=",
  ],
};

// Decodes what the simulator drew: checksums, compression and length of a PNG, packets and length of a video.
import { crc32, inflateSync } from "node:zlib";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";

/** Throws on a PNG that a decoder would not take. */
export function readPng(bytes: Buffer): { width: number; height: number; palette: Buffer; pixels: Buffer } {
  if (bytes.subarray(0, 8).toString("hex") !== "89504e470d0a1a0a") throw new Error("not a PNG");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length)) throw new Error("wrong checksum");
    chunks.set(bytes.toString("latin1", at + 4, at + 8), data);
    at += length + 12;
  }
  const header = chunks.get("IHDR")!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const pixels = inflateSync(chunks.get("IDAT")!);
  if (pixels.length !== height * (1 + Math.ceil(width / 4)) || !chunks.has("IEND")) throw new Error("not as many pixels as it says");
  return { width, height, palette: chunks.get("PLTE")!, pixels };
}

export async function readVideo(bytes: Buffer) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = (await input.getPrimaryVideoTrack())!;
  const { averagePacketRate, packetCount } = await track.computePacketStats();
  const sizes: number[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) sizes.push(packet.data.length);
  return {
    type: await input.getMimeType(),
    seconds: await input.computeDuration(),
    width: track.displayWidth,
    height: track.displayHeight,
    fps: averagePacketRate,
    packetCount,
    sizes,
  };
}

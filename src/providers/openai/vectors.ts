// The vectors of an embeddings answer, whatever its host made of order, encoding and length (WIRE.md 10.5).
import { isObject } from "../json/read.ts";
import { UpstreamError, type EmbedCall, type Vector } from "../types.ts";
import { unreadable } from "../transport/json-answer.ts";

/** In input order, all of one length, every value a number that a float32 can hold. */
export function readVectors(data: unknown, { inputs, dimensions }: Pick<EmbedCall, "inputs" | "dimensions">): Vector[] {
  if (!Array.isArray(data)) throw unreadable("the answer has no data");
  if (data.length !== inputs) throw unreadable(`the answer has ${data.length} vectors for ${inputs} inputs`);
  const vectors = new Array<Vector | undefined>(inputs).fill(undefined);
  data.forEach((item: unknown, position) => {
    if (!isObject(item)) throw unreadable("a vector is missing");
    const index = item["index"] ?? position; // Gemini leaves out an index of 0, other hosts all of them
    if (typeof index !== "number" || !(index in vectors)) throw unreadable("a vector belongs to no input");
    if (vectors[index] !== undefined) throw unreadable("two vectors belong to one input");
    vectors[index] = readVector(item["embedding"]);
  });
  const whole = vectors as Vector[]; // as many as inputs, and no two for one
  const { length } = whole[0]!;
  if (whole.some((vector) => vector.length !== length)) throw unreadable("the vectors differ in length");
  return dimensions === null || dimensions === length ? whole : whole.map((vector) => cutTo(dimensions, vector));
}

function readVector(value: unknown): Vector {
  const vector = typeof value === "string" ? fromBase64(value) : Array.isArray(value) ? (value as unknown[]) : [];
  if (vector.length === 0) throw unreadable("a vector is missing");
  for (let at = 0; at < vector.length; at += 1)
    if (typeof vector[at] !== "number" || !Number.isFinite(Math.fround(vector[at] as number)))
      throw unreadable("a vector holds something that is no number");
  return vector as Vector;
}

/** Little-endian float32, as every platform has it that Node runs on but one. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  const characters = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  // Decoding passes over what is no base64, so that some bytes are missing then.
  if (bytes.length % 4 !== 0 || bytes.length !== Math.floor((characters * 3) / 4))
    throw unreadable("a vector is no base64 of float32 values");
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** How far from 1 the length of a vector may be that is meant to be 1. */
const unitTolerance = 0.01;

/**
 * For a host that ignored `dimensions`. Only models that declare it are asked for it (src/language/embeddings/request.ts), and of
 * theirs the beginning is the shorter vector, made a unit vector again where the whole was one.
 */
function cutTo(dimensions: number, vector: Vector): Vector {
  if (vector.length < dimensions)
    throw new UpstreamError("rejected", `Its vectors have ${vector.length} dimensions, which is less than ${dimensions}.`, {
      status: 200,
      param: "dimensions",
    });
  const cut = vector.slice(0, dimensions);
  const length = lengthOf(cut);
  return length === 0 || Math.abs(lengthOf(vector) - 1) > unitTolerance ? cut : cut.map((value) => value / length);
}

function lengthOf(vector: Vector): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}

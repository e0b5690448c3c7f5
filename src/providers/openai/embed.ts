// Embeddings over the `openai` protocol: one call of one route, and the vectors of its answer.
import { type Clock, systemClock } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, readInputUsage } from "../json/read.ts";
import { spliceJson } from "../json/splice.ts";
import { exchange, nameAnswer, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, unreadable } from "../transport/json.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { Route } from "../types.ts";
import type { Embed, EmbedCall, EmbedWhole, Vector } from "../verbs/without-output.ts";

/** 2048 vectors of 4096 numbers are 45 MB of base64; of 1536 numbers, from a host that writes no base64, 67 MB. */
export const answerBytesMax = 134_217_728;
/** From this many texts on base64 is asked for: numbers as text are four times as long and ten times as slow to parse. */
const manyInputs = 64;

export function openaiEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  /** Routes that refused base64 and then served without it: they aren't asked for it again. */
  const plain = new WeakSet<Route>();
  const send = async (call: EmbedCall, base64: boolean): Promise<EmbedWhole> => {
    const answer = await exchange(upstream, embedRequest(call, base64), clock);
    const body = readAnswer(await wholeText(answer, answerBytesMax), call.route.provider);
    nameAnswer(call.heard, body["id"]);
    return { kind: "whole", vectors: readVectors(body["data"], call), usage: readInputUsage(body["usage"]) };
  };
  return async (call) => {
    const base64 = (call.base64 || call.inputs > manyInputs) && !plain.has(call.route);
    try {
      return await send(call, base64);
    } catch (error) {
      if (!base64 || !mayMeanFormat(error)) throw error;
      const whole = await send(call, false).catch((again: unknown) => {
        // Refused both ways: the first sentence is the one about the request.
        throw again instanceof UpstreamError && again.fault === "rejected" ? error : again;
      });
      plain.add(call.route);
      return whole;
    }
  };
}

/** `float` is every host's default, and Voyage refuses the word. */
function embedRequest(call: EmbedCall, base64: boolean): UpstreamRequest {
  return jsonRequest(call, "/embeddings", spliceJson(call.body, { encoding_format: base64 ? '"base64"' : null }));
}

/** Older vLLM names the format; proxies refuse base64 with sentences about something else, or none. */
function mayMeanFormat(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.fault !== "rejected" || error.status === 413) return false;
  return error.param === null || error.param === "encoding_format" || /encoding_format|base64/i.test(error.reason);
}

// The vectors of an embeddings answer, whatever order, encoding and length the host chose (docs/behaviour/providers.md#whole-answers).

/** In input order, all of one length, every value a number that fits into a float32. */
export function readVectors(data: unknown, { inputs, dimensions }: Pick<EmbedCall, "inputs" | "dimensions">): Vector[] {
  if (!Array.isArray(data)) throw unreadable("the answer has no data");
  if (data.length !== inputs) throw unreadable(`the answer has ${data.length} vectors for ${inputs} inputs`);
  const vectors = new Array<Vector | undefined>(inputs).fill(undefined);
  data.forEach((item: unknown, position) => {
    if (!isObject(item)) throw unreadable("a vector is missing");
    const index = item["index"] ?? position; // Gemini omits an index of 0, other hosts every index
    if (typeof index !== "number" || !(index in vectors)) throw unreadable("a vector belongs to no input");
    if (vectors[index] !== undefined) throw unreadable("two vectors belong to one input");
    vectors[index] = readVector(item["embedding"]);
  });
  const whole = vectors as Vector[]; // complete: as many vectors as inputs, each index once
  const { length } = whole[0]!;
  if (whole.some((vector) => vector.length !== length)) throw unreadable("the vectors differ in length");
  return dimensions === null || dimensions === length ? whole : whole.map((vector) => cutTo(dimensions, vector));
}

function readVector(value: unknown): Vector {
  const vector = typeof value === "string" ? fromBase64(value) : Array.isArray(value) ? (value as unknown[]) : [];
  if (vector.length === 0) throw unreadable("a vector is missing");
  for (let at = 0; at < vector.length; at += 1)
    if (typeof vector[at] !== "number" || !Number.isFinite(Math.fround(vector[at] as number)))
      throw unreadable("a vector holds a value that is not a number");
  return vector as Vector;
}

/** Little-endian float32: the byte order of nearly every platform that Node runs on. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  const characters = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  // Decoding skips characters that are not base64, so bytes are missing then.
  if (bytes.length % 4 !== 0 || bytes.length !== Math.floor((characters * 3) / 4))
    throw unreadable("a vector is not base64 of float32 values");
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** How far the length of a unit vector may be from 1. */
const unitTolerance = 0.01;

/**
 * For a host that ignored `dimensions`. Only models that declare it are asked for it (src/language/embeddings.ts); the beginning
 * of their vectors is the shorter vector, scaled to length 1 again where the whole one was.
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

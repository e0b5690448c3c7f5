// Work in a fal queue: submitted, polled, fetched, cancelled.
import { type Clock, systemClock } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { type Json, textOf } from "../json/read.ts";
import { filesBytesMax } from "../transport/base64-files.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { bareRequest, jsonRequest, parseObject, unreadable } from "../transport/json.ts";
import { answeredAddress } from "../transport/target.ts";
import type { Upstream } from "../transport/types.ts";
import type { Provider, UpstreamCall } from "../types.ts";
import type { Begun, ImageOrder, Looked, MakeImages, MakeVideo, Ticket, UpstreamQueue, VideoOrder } from "../verbs/media.ts";
import { errorInStatus, lookError, resultError, submitError } from "./errors.ts";
import { type PartsOf, readOutput } from "./output.ts";

/** Bound of a status answer, which includes the model's log. */
const statusBytesMax = 4_194_304;

export function falQueue(upstream: Upstream, clock: Clock = systemClock, partsOf?: PartsOf): UpstreamQueue {
  async function progress(call: UpstreamCall, ticket: Ticket): Promise<"waiting" | "running" | "complete"> {
    const answer = await exchange(upstream, bareRequest(call, "GET", ticket.statusUrl), clock, lookError);
    const body = parseObject(await wholeText(answer, statusBytesMax));
    const status = textOf(body["status"]);
    if (status === null) throw unreadable("the answer has no status");
    if (status === "IN_QUEUE") return "waiting";
    if (status === "IN_PROGRESS") return "running";
    const error = errorInStatus(body, call.route.provider);
    if (error !== null) throw error;
    return status === "COMPLETED" ? "complete" : "running"; // a status that came after this version
  }

  async function result(call: UpstreamCall, ticket: Ticket): Promise<Looked> {
    const answer = await exchange(upstream, bareRequest(call, "GET", ticket.responseUrl), clock, resultError);
    const output = readOutput(await answer.body.bytes(filesBytesMax), partsOf);
    if (output.files.length > 0) return { kind: "made", files: output.files };
    if (answer.status === 202 || /^IN_/.test(textOf(output.answer["status"]) ?? "")) return { kind: "running" };
    throw new UpstreamError("failed", "the output holds no file", {
      status: answer.status,
      job: { code: "provider_error", word: "no_media_generated" },
    });
  }

  return {
    async look(call, ticket) {
      const state = await progress(call, ticket);
      if (state !== "complete") return { kind: state };
      try {
        return await result(call, ticket);
      } catch (error) {
        if (isTooEarly(error)) return { kind: "running" };
        throw error;
      }
    },
    async cancel(call, { cancelUrl }) {
      if (cancelUrl === null) return;
      try {
        const answer = await exchange(upstream, bareRequest(call, "PUT", cancelUrl), clock, lookError);
        await answer.body.bytes(statusBytesMax);
      } catch (error) {
        if (!isOver(error)) throw error;
      }
    },
  };
}

function isTooEarly(error: unknown): boolean {
  return error instanceof UpstreamError && error.status === 400 && /\bstill in progress\b/i.test(error.reason);
}

/** `ALREADY_COMPLETED` or forgotten: there is nothing to cancel. */
function isOver(error: unknown): boolean {
  return error instanceof UpstreamError && [400, 404, 409, 410].includes(error.status ?? 0);
}

// Submits work to a fal queue: returns a ticket, or at once the output of a host that doesn't queue.

export function falImages(upstream: Upstream, clock: Clock = systemClock): MakeImages {
  return (call) => submit(upstream, clock, call, imageInput(call.order));
}

export function falVideos(upstream: Upstream, clock: Clock = systemClock): MakeVideo {
  return (call) => submit(upstream, clock, call, videoInput(call.order));
}

/** `jobId` lets a host recognise a repeated submit. */
export async function submit(
  upstream: Upstream,
  clock: Clock,
  call: UpstreamCall & { jobId: string },
  input: Json,
  partsOf?: PartsOf,
): Promise<Begun> {
  const path = `/${call.route.model.replace(/^\/+/, "")}`;
  const request = { ...jsonRequest(call, path, JSON.stringify(input)), headers: ["idempotency-key", call.jobId] };
  const answer = await exchange(upstream, request, clock, submitError);
  const output = readOutput(await answer.body.bytes(filesBytesMax), partsOf);
  const ticket = ticketOf(output.answer, call.route.provider);
  if (ticket !== null) return { kind: "accepted", ticket };
  if (output.files.length === 0) throw unreadable("the answer is neither a ticket nor an output");
  return { kind: "made", files: output.files };
}

/** The URLs are used as answered: they omit part of the path that the work was submitted to. */
function ticketOf(answer: Json, provider: Provider): Ticket | null {
  const { request_id, status_url, response_url, cancel_url } = answer;
  const [id, statusText, responseText] = [textOf(request_id), textOf(status_url), textOf(response_url)];
  if (id === null || statusText === null || responseText === null) return null;
  const statusUrl = answeredAddress(statusText, provider);
  const responseUrl = answeredAddress(responseText, provider);
  if (statusUrl === null || responseUrl === null || id.length > 200) throw unreadable("the ticket names an address that can't be called");
  const cancelUrl = textOf(cancel_url);
  return { id, statusUrl, responseUrl, cancelUrl: cancelUrl && answeredAddress(cancelUrl, provider) };
}

// The input of fal's models (docs/behaviour/providers.md#fal). The values are decided before.

type Input = Record<string, unknown>;

/**
 * Models read either `image_size` or `aspect_ratio`, and either `image_url` or `image_urls`, and ignore the others: they get both with
 * the same value.
 */
function imageInput(order: ImageOrder): Input {
  const { prompt, count, size, aspect, quality, references, mask, extra } = order;
  return {
    ...extra,
    prompt,
    num_images: count,
    image_size: { width: size.width, height: size.height },
    ...(aspect !== null && { aspect_ratio: aspect }),
    ...(quality !== null && { quality }),
    ...(references.length > 0 && { image_url: references[0], image_urls: references }),
    ...(mask !== undefined && { mask_url: mask }),
  };
}

/** fal takes the duration as text. */
function videoInput({ prompt, firstFrame, soundTrack, seconds, aspect, extra }: VideoOrder): Input {
  return {
    ...extra,
    prompt,
    duration: String(seconds),
    ...(aspect !== null && { aspect_ratio: aspect }),
    ...(firstFrame !== null && { image_url: firstFrame }),
    ...(soundTrack !== null && { audio_url: soundTrack }),
  };
}

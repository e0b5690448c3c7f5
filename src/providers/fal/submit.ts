// Work offered to a fal queue: a ticket comes back, or at once what was made, from hosts that don't queue.
import { systemClock, type Clock } from "../../clock.ts";
import { unreadable } from "../transport/json-answer.ts";
import { filesBytesMax } from "../transport/base64-files.ts";
import { exchange } from "../transport/exchange.ts";
import type { Upstream } from "../transport/http.ts";
import { jsonRequest } from "../transport/json-request.ts";
import { type Json, textOf } from "../json/read.ts";
import type { Begun, MakeClip, MakePictures, Ticket } from "../media.ts";
import { answeredAddress } from "../transport/target.ts";
import type { Provider, UpstreamCall } from "../types.ts";
import { submitError } from "./errors.ts";
import { clipInput, pictureInput } from "./input.ts";
import { type PartsOf, readOutput } from "./output.ts";

export function falPictures(upstream: Upstream, clock: Clock = systemClock): MakePictures {
  return (call) => submit(upstream, clock, call, pictureInput(call.order));
}

export function falClips(upstream: Upstream, clock: Clock = systemClock): MakeClip {
  return (call) => submit(upstream, clock, call, clipInput(call.order));
}

/** `jobId` names the work for hosts that tell a repeated order by it. */
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

/** The addresses are followed as they came: they leave out a part of the path that the work was submitted to. */
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

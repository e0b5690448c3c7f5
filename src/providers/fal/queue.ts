// Status, result and cancellation of work that a fal queue accepted.
import { type Clock, systemClock } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { textOf } from "../json/read.ts";
import { filesBytesMax } from "../transport/base64-files.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { parseObject, unreadable } from "../transport/json-answer.ts";
import { bareRequest } from "../transport/json-request.ts";
import type { Upstream } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { Looked, Ticket, UpstreamQueue } from "../verbs/media.ts";
import { errorInStatus, lookError, resultError } from "./errors.ts";
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

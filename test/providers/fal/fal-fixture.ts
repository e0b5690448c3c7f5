// Calls of the fal adapters against a host that answers as a test says.
import { falImages, falQueue, falVideos } from "../../../src/providers/fal/queue.ts";
import type { Upstream } from "../../../src/providers/transport/types.ts";
import type { Provider, UpstreamCall } from "../../../src/providers/types.ts";
import type { Begun, ImageOrder, Looked, Ticket, VideoOrder } from "../../../src/providers/verbs/media.ts";
import { json } from "../openai/chat-fixture.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";

export const key = "fal-id:fal-secret-0001";

export const image: ImageOrder = {
  prompt: "a lighthouse",
  count: 2,
  size: { width: 1344, height: 768 },
  aspect: "16:9",
  quality: null,
  references: [],
  extra: {},
};

const video: VideoOrder = { prompt: "waves", firstFrame: null, soundTrack: null, seconds: 5, aspect: null, extra: {} };

export interface Ask {
  upstream?: Upstream;
  signal?: AbortSignal;
  provider?: Partial<Provider>;
}

export function callOf(host: Host, { signal = new AbortController().signal, provider = {} }: Ask = {}): UpstreamCall {
  const route = { ...routeTo(`${host.url}/queue`, { protocol: "fal", apiKey: key, ...provider }), model: "vendor/image/pro" };
  return { route, signal, requestId: "req_test", publicModel: "demo/image" };
}

export function submitImage(host: Host, order: Partial<ImageOrder> = {}, ask: Ask = {}): Promise<Begun> {
  const upstream = ask.upstream ?? useUpstream();
  return falImages(upstream)({ ...callOf(host, ask), jobId: "job_1", order: { ...image, ...order } });
}

export function submitVideo(host: Host, order: Partial<VideoOrder> = {}): Promise<Begun> {
  return falVideos(useUpstream())({ ...callOf(host), jobId: "vid_1", order: { ...video, ...order } });
}

export function ticketAt(host: Host): Ticket {
  const base = `${host.url}/vendor/image/requests/r-1`;
  return { id: "r-1", statusUrl: `${base}/status`, responseUrl: base, cancelUrl: `${base}/cancel` };
}

/** The answer to the submission of work. */
export function ticketAnswer(host: { url: string }, change: Record<string, unknown> = {}): string {
  const base = `${host.url}/vendor/image/requests/r-1`;
  const urls = { status_url: `${base}/status`, response_url: base, cancel_url: `${base}/cancel` };
  return JSON.stringify({ status: "IN_QUEUE", request_id: "r-1", queue_position: 0, ...urls, ...change });
}

/** A queue whose work has the given status and result. */
export function startQueue(status: Answer | string, result: Answer | string = "{}"): Promise<Host> {
  const answers = [status, result].map((answer) => (typeof answer === "string" ? json(200, answer) : answer));
  return startHost((request, response, body) => answers[request.url!.endsWith("/status") ? 0 : 1]!(request, response, body));
}

export async function look(host: Host, ask: Ask = {}): Promise<Looked> {
  return await falQueue(ask.upstream ?? useUpstream()).look(callOf(host, ask), ticketAt(host));
}

export const completed = '{"status":"COMPLETED","request_id":"r-1","metrics":{"inference_time":1.2}}';

/** The result of complete work. */
export async function lookAtResult(result: Answer | string): Promise<Looked> {
  return await look(await startQueue(completed, result));
}

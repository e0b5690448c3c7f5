// The queue's answers. What the answer of a finished work holds: its images, its video or its song, where their files are, and what the directives leave out
// of it.
import type { Directives } from "../directive-list.ts";
import { videoFacts, makeVideo } from "../made/mp4.ts";
import { type MadeFile, makeImage, makeSvg } from "../made/image.ts";
import { jsonReply, type Plan, type WholeReply } from "../protocol.ts";
import type { Fields } from "../request-fields.ts";
import { makeSound } from "../sound/make-sound.ts";
import { type Failure, requestedFailure, renderFailure, renderOtherFailure } from "./errors.ts";
import { failureRow } from "./failure-types.ts";
import type { MediaRequest } from "./media-request.ts";
import { durationMs, stageOf, type Work } from "./works.ts";

const songFormat = { encoding: "mp3", sampleRate: 44_100, kbps: 128 } as const;

/** The request's file at this index; null if there is none. The same request makes the same bytes. */
export async function makeFile(work: Work, request: MediaRequest, index: number): Promise<MadeFile | null> {
  if (index >= countOf(work, request)) return null;
  const seed = `${request.seed}:${request.prompt}:${index}`;
  switch (request.kind) {
    case "song":
      return { ...(await makeSound(songFormat, request.seconds, seed)), extension: "mp3" };
    case "video":
      return { bytes: await makeVideo(request.aspect, request.seconds), contentType: "video/mp4", extension: "mp4" };
    case "vector":
      return { bytes: makeSvg(request.width, request.height, request.prompt, seed), contentType: "image/svg+xml", extension: "svg" };
    case "image":
      return makeImage(request.format, request.width, request.height, isBlack(work, index) ? null : seed);
  }
}

async function renderOutput(work: Work, request: MediaRequest, base: string): Promise<Fields> {
  const { directives } = work;
  const files: Fields[] = [];
  for (let index = 0; index < countOf(work, request); index += 1) files.push(await renderFile(work, request, index, base));
  if (request.kind === "song") return { ...(directives.noAudio ? {} : { audio: files[0] ?? null }), seed: request.seed };
  if (request.kind === "video") return { video: files[0] ?? null, seed: request.seed };
  const imageFields = directives.oneImage ? { image: files[0] ?? null } : { images: files };
  const black = files.map((_, index) => isBlack(work, index));
  return {
    ...imageFields,
    seed: request.seed,
    timings: { inference: durationMs(directives) / 1000 },
    has_nsfw_concepts: black,
    prompt: request.prompt,
  };
}

async function renderFile(work: Work, request: MediaRequest, index: number, base: string): Promise<Fields> {
  const { directives } = work;
  const file = (await makeFile(work, request, index))!;
  const name = `${index}.${file.extension}`;
  const factor = directives.wrongSize ? 2 : 1;
  const facts = request.kind === "video" ? videoFacts(request.aspect, request.seconds) : null;
  const { width, height } = facts ?? request;
  return {
    url: directives.fileData ? `data:${file.contentType};base64,${file.bytes.toString("base64")}` : `${base}/files/${work.id}/${name}`,
    ...(directives.noType ? {} : { content_type: file.contentType }),
    file_name: name,
    file_size: file.bytes.length,
    ...(directives.noSize || request.kind === "song" ? {} : { width: width * factor, height: height * factor }),
    ...(facts === null || directives.noDuration ? {} : { duration: facts.seconds, fps: facts.fps }),
  };
}

/** What the safety checker took is shown black. */
function isBlack({ directives }: Work, index: number): boolean {
  return directives.jobNsfw !== undefined || index < (directives.nsfwImages ?? 0);
}

function countOf({ directives }: Work, request: MediaRequest): number {
  return directives.images ?? (directives.oneImage || request.kind === "video" || request.kind === "song" ? 1 : request.count);
}

// About one work: taken, how far it is, what it made or why it failed, and its cancelling.

const unavailable = "The simulator was told to fail this call.";

export function answerSubmit(work: Work, base: string): WholeReply {
  const { cancel_url, ...addresses } = addressesOf(work, base);
  const cancel = work.directives.noCancelUrl ? {} : { cancel_url };
  return reply(work, 200, {
    request_id: work.id,
    status: "IN_QUEUE",
    queue_position: work.directives.queueLooks ?? 0,
    ...addresses,
    ...cancel,
  });
}

/** 202 until it is completed; a failed work is completed too. */
export function answerStatus(work: Work, base: string): Plan {
  const { directives } = work;
  if (directives.statusHang) return plan(work, reply(work, 200, {}), { hang: 1 });
  if (directives.statusFail !== undefined) return plan(work, reply(work, directives.statusFail, { detail: unavailable }));
  if (work.failed.status < (directives.statusFlaky ?? 0)) {
    work.failed.status += 1;
    return plan(work, reply(work, 503, { detail: unavailable }));
  }
  const status = stageOf(work);
  const place = Math.max(0, (directives.queueLooks ?? 0) - work.looks - 1);
  work.looks += 1;
  const statusFields: Fields = { status, request_id: work.id, ...addressesOf(work, base) };
  if (status === "IN_QUEUE") return plan(work, reply(work, 202, { ...statusFields, queue_position: place }));
  const logs = [{ message: "The simulator works on it.", level: "INFO", source: "USER", timestamp: "2026-01-01T00:00:00Z" }];
  if (status === "IN_PROGRESS") return plan(work, reply(work, 202, { ...statusFields, logs }));
  const failure = directives.statusError ? failureOf(work) : null;
  const error = failure === null ? {} : { error: failure.message ?? failureRow(failure.type).message, error_type: failure.type };
  return plan(work, reply(work, 200, { ...statusFields, logs, metrics: { inference_time: durationMs(directives) / 1000 }, ...error }));
}

export async function answerResult(work: Work, base: string): Promise<Plan> {
  const { directives } = work;
  if (directives.resultFail !== undefined) return plan(work, reply(work, directives.resultFail, { detail: unavailable }));
  if (work.failed.result < (directives.resultFlaky ?? 0)) {
    work.failed.result += 1;
    return plan(work, reply(work, 503, { detail: unavailable }));
  }
  if (stageOf(work) !== "COMPLETED") return plan(work, reply(work, 400, { detail: "Request is still in progress" }));
  const failure = failureOf(work);
  if (failure !== null) return plan(work, withId(work, renderFailure(failure)));
  const other = renderOtherFailure(directives);
  if (other !== null) return plan(work, withId(work, other));
  if ("type" in work.request) throw new Error("a work without a request has failed");
  return plan(work, reply(work, 200, await renderOutput(work, work.request, base)));
}

export function answerCancel(work: Work): Plan {
  const { directives } = work;
  if (directives.cancelFail !== undefined) return plan(work, reply(work, directives.cancelFail, { detail: unavailable }));
  if (stageOf(work) === "COMPLETED") return plan(work, reply(work, 400, { status: "ALREADY_COMPLETED" }));
  if (!directives.uncancellable) work.isCancelled = true;
  return plan(work, reply(work, 202, { status: "CANCELLATION_REQUESTED" }));
}

/** Why it failed in one of the queue's types; null: it didn't, or in other words. */
function failureOf(work: Work): Failure | null {
  if (work.isCancelled) return { type: "client_cancelled" };
  return requestedFailure(work.directives) ?? ("type" in work.request ? work.request : null);
}

function addressesOf({ app, id }: Work, base: string) {
  const response_url = `${base}/${app}/requests/${id}`;
  return { response_url, status_url: `${response_url}/status`, cancel_url: `${response_url}/cancel` };
}

function reply(work: Work, status: number, fields: Fields): WholeReply {
  return withId(work, jsonReply(status, JSON.stringify(fields)));
}

function withId({ id }: Work, sent: WholeReply): WholeReply {
  return { ...sent, headers: { ...sent.headers, "x-fal-request-id": id } };
}

/** None of the model's own faults: those met the submit. */
function plan({ model }: Work, sent: WholeReply, directives: Directives = {}): Plan {
  return { model, directives, reply: sent, bytes: 0 };
}

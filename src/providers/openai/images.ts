// Images over the `openai` protocol: generations as JSON, edits and variations as a form, all answered at once (docs/behaviour/providers.md#whole-answers).
import { type Clock, systemClock } from "../../clock.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, type Json, objectOf, textOf } from "../json/read.ts";
import { filesBytesMax, type FilesInside, takeFilesOut } from "../transport/base64-files.ts";
import { exchange } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, unreadable } from "../transport/json.ts";
import { type FormPart, multipartForm } from "../transport/multipart.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { FetchReference, ImageCall, MadeFile, MakeImages, ReferenceFault } from "../verbs/media.ts";

/** The image is made before the first byte comes. A job has five minutes for it, and its signal ends the call. */
const firstByteMs = 300_000;

export function openaiImages(upstream: Upstream, fetchReference: FetchReference, clock: Clock = systemClock): MakeImages {
  return async (call) => {
    const request = await requestOf(call, fetchReference);
    const answer = await exchange(upstream, { ...request, firstByteMs, headers: ["idempotency-key", call.jobId] }, clock);
    const inside = takeFilesOut(await answer.body.bytes(filesBytesMax));
    return { kind: "made", files: readImages(readAnswer(inside.text, call.route.provider), inside) };
  };
}

async function requestOf(call: ImageCall, fetchReference: FetchReference): Promise<UpstreamRequest> {
  if (call.order.isVariation) return variationRequest(call);
  return call.order.references.length > 0 ? await editRequest(call, fetchReference) : generationRequest(call);
}

/** Its image was uploaded, and the form has neither a prompt nor a quality. */
function variationRequest(call: ImageCall): UpstreamRequest {
  const { model, n, size } = fieldsOf(call);
  const texts = Object.entries({ model, n, size }).flatMap(([name, value]) => textPart(name, value));
  const image = imagePart("image", "image", fileOf(call.order.references[0]!));
  return { ...jsonRequest(call, "/images/variations", ""), ...multipartForm([...texts, image]) };
}

function generationRequest(call: ImageCall): UpstreamRequest {
  return jsonRequest(call, "/images/generations", JSON.stringify(fieldsOf(call)));
}

async function editRequest(call: ImageCall, fetchReference: FetchReference): Promise<UpstreamRequest> {
  const files = await loadReferences(call.order.references, fetchReference, call.signal);
  const { image: _image, "image[]": _images, ...fields } = fieldsOf(call);
  const texts = Object.entries(fields).flatMap(([name, value]) => textPart(name, value));
  if (call.order.mask !== undefined) files.push(imagePart("mask", "mask", fileOf(call.order.mask)));
  return { ...jsonRequest(call, "/images/edits", ""), ...multipartForm([...texts, ...files]) };
}

/**
 * Our own fields win over the caller's `extra`, and nothing is streamed. `response_format` is never sent: some models refuse it, and both
 * forms are read.
 */
function fieldsOf({ order, route }: ImageCall): Json {
  const { stream: _stream, partial_images: _partialImages, ...extra } = order.extra;
  const { prompt, count, size, quality } = order;
  return { ...extra, model: route.model, prompt, n: count, size: `${size.width}x${size.height}`, ...(quality !== null && { quality }) };
}

function textPart(name: string, value: unknown): FormPart[] {
  if (value === null || value === undefined) return [];
  return [{ name, text: typeof value === "string" ? value : JSON.stringify(value) }];
}

/** Throws UpstreamError `unreadable` where the answer has no image, or an item that is not one. */
function readImages(answer: Json, inside: FilesInside): MadeFile[] {
  const data = arrayOf(answer["data"]);
  if (data.length === 0) throw unreadable("the answer has no images");
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(textOf(answer["size"]) ?? "") ?? [];
  const format = /^[a-z]{3,5}$/.exec(textOf(answer["output_format"]) ?? "")?.[0];
  return data.map((entry) => {
    const { source, contentType } = readSource(objectOf(entry), inside);
    return {
      source,
      contentType: contentType ?? (format === undefined ? null : `image/${format}`),
      width: Number(width) || null,
      height: Number(height) || null,
      seconds: null,
      fps: null,
    };
  });
}

function readSource({ b64_json, url }: Json, inside: FilesInside): Pick<MadeFile, "source" | "contentType"> {
  const address = textOf(url);
  if (address !== null && /^https?:\/\//i.test(address) && URL.canParse(address)) return { source: { url: address }, contentType: null };
  const text = textOf(b64_json) ?? address;
  const file = text === null ? null : inside.fileOf(text);
  if (file === null) throw unreadable("an image is neither base64 nor a URL");
  return { source: { bytes: file.bytes }, contentType: file.contentType };
}

// Reference images as files of a form: hosts of the `openai` protocol take bytes, callers send URLs.

/** Bytes of all references of a request: held until the answer comes, and twice while the form is built. */
export const referenceBytesMax = 67_108_864;

/** Downloads one after the other, which bounds what is held. Throws UpstreamError `rejected` where one can't be loaded. */
async function loadReferences(urls: readonly string[], fetchReference: FetchReference, signal: AbortSignal): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  let size = 0;
  for (const url of urls) {
    const { bytes, contentType } = await load(url, fetchReference, signal);
    size += bytes.length;
    if (size > referenceBytesMax) throw inputFault("input_too_large", "The source images are too large together.");
    parts.push(imagePart("image[]", `image-${parts.length + 1}`, { bytes, contentType }));
  }
  return parts;
}

function imagePart(name: string, stem: string, { bytes, contentType }: { bytes: Buffer; contentType: string }): FormPart {
  return { name, fileName: `${stem}.${extensionOf(contentType)}`, contentType, bytes };
}

/** Of a data URL that the gateway itself wrote. */
function fileOf(dataUrl: string): { bytes: Buffer; contentType: string } {
  const comma = dataUrl.indexOf(",");
  return { bytes: Buffer.from(dataUrl.slice(comma + 1), "base64"), contentType: dataUrl.slice("data:".length, dataUrl.indexOf(";")) };
}

async function load(url: string, fetchReference: FetchReference, signal: AbortSignal): ReturnType<FetchReference> {
  if (url.startsWith("data:")) return fileOf(url);
  try {
    return await fetchReference(url, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isReferenceFault(error)) throw inputFault(error.reason === "too_large" ? "input_too_large" : "input_invalid", error.message, error);
    throw error;
  }
}

const faultReasons: readonly unknown[] = ["too_large", "invalid", "unreachable"] satisfies ReferenceFault["reason"][];

function isReferenceFault(error: unknown): error is ReferenceFault {
  return error instanceof Error && faultReasons.includes((error as { reason?: unknown }).reason);
}

function inputFault(code: "input_too_large" | "input_invalid", reason: string, cause?: unknown): UpstreamError {
  const word = code === "input_too_large" ? "file_too_large" : "file_download_error";
  return new UpstreamError("rejected", reason, { param: "image_urls", job: { code, word }, cause });
}

/** Some hosts go by the file's name rather than its type. */
function extensionOf(contentType: string): string {
  const subtype = /^image\/([a-z0-9]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? "bin";
  return subtype === "jpeg" ? "jpg" : subtype;
}

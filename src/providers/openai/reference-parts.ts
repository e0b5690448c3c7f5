// Reference pictures as files of a form: hosts of the `openai` protocol take bytes, callers give addresses.
import type { FetchReference, ReferenceFault } from "../media.ts";
import type { FormPart } from "../transport/multipart.ts";
import { UpstreamError } from "../types.ts";

/** Of all references of a request: what is held of it until the answer comes, and twice while the form is made. */
export const referenceBytesMax = 67_108_864;

/** One after the other, so that no more is loaded than may be held. Throws UpstreamError `rejected` for one that can't be had. */
export async function loadReferences(urls: readonly string[], fetchReference: FetchReference, signal: AbortSignal): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  let size = 0;
  for (const url of urls) {
    const { bytes, contentType } = await load(url, fetchReference, signal);
    size += bytes.length;
    if (size > referenceBytesMax) throw inputFault("input_too_large", "The source images are too large together.");
    parts.push({ name: "image[]", fileName: `image-${parts.length + 1}.${extensionOf(contentType)}`, contentType, bytes });
  }
  return parts;
}

async function load(url: string, fetchReference: FetchReference, signal: AbortSignal): ReturnType<FetchReference> {
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

/** Hosts go by the name as much as by the type. */
function extensionOf(contentType: string): string {
  const subtype = /^image\/([a-z0-9]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? "bin";
  return subtype === "jpeg" ? "jpg" : subtype;
}

// Translates the content parts of a chat message into blocks of the Anthropic dialect (docs/behaviour/translation.md#requests). Empty
// texts stay: the anthropic adapter drops them for both dialects.
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";

/** The other dialect can't express the request, so the caller must change it. No upstream was asked, hence no status. */
export function refuse(param: string, reason: string): never {
  throw new UpstreamError("rejected", reason, { param });
}

/** Quotes a word of the caller's for an error sentence. */
export function shown(word: unknown): string {
  return JSON.stringify(typeof word === "string" ? word.slice(0, 60) : (word ?? null)).slice(0, 80);
}

/** `where` is the path of the message's content. */
export function contentBlocks(content: unknown, where: string): Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return arrayOf(content)
    .map((part, index) => (typeof part === "string" ? { type: "text", text: part } : partBlock(objectOf(part), `${where}[${index}]`)))
    .filter((block) => block["text"] !== "");
}

/** The text parts of a content, joined. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return arrayOf(content)
    .map((part) => textOf(objectOf(part)["text"]) ?? "")
    .join("");
}

function partBlock(part: Json, where: string): Json {
  const cached = isObject(part["cache_control"]) ? { cache_control: part["cache_control"] } : {};
  switch (part["type"]) {
    case "text":
      return { type: "text", text: textOf(part["text"]) ?? "", ...cached };
    case "refusal":
      return { type: "text", text: textOf(part["refusal"]) ?? "", ...cached };
    case "image_url":
      return { type: "image", source: imageSource(part["image_url"], where), ...cached };
    case "file":
      return { ...document(objectOf(part["file"]), where), ...cached };
    case "input_audio":
      return refuse(where, "This model cannot read audio.");
    case "video_url":
      return refuse(where, "This model cannot read video.");
  }
  return refuse(where, `This model cannot read content parts of type ${shown(part["type"])}.`);
}

function imageSource(image: unknown, where: string): Json {
  const url = typeof image === "string" ? image : textOf(objectOf(image)["url"]);
  if (url === null) refuse(where, "image_url needs a url.");
  if (/^https:\/\//i.test(url)) return { type: "url", url };
  const data = readDataUrl(url);
  if (data === null) refuse(where, "An image must be an https address or a base64 data URL.");
  const mediaType = data.mediaType === "image/jpg" ? "image/jpeg" : data.mediaType;
  if (!imageTypes.has(mediaType)) refuse(where, "An image must be a JPEG, PNG, GIF or WebP.");
  return { type: "base64", media_type: mediaType, data: data.base64 };
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function document(file: Json, where: string): Json {
  const name = textOf(file["filename"]);
  const title = name === null ? {} : { title: name };
  const sent = textOf(file["file_data"]);
  if (sent === null) refuse(where, "A file must be sent in file_data: there is no file store here.");
  const data = readDataUrl(sent) ?? { mediaType: typeOfName(name), base64: sent };
  if (imageTypes.has(data.mediaType)) return { type: "image", source: { type: "base64", media_type: data.mediaType, data: data.base64 } };
  if (data.mediaType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: data.mediaType, data: data.base64 }, ...title };
  if (!isText(data.mediaType)) refuse(where, "A file must be a PDF or text.");
  const text = Buffer.from(data.base64, "base64").toString("utf8");
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title };
}

function typeOfName(name: string | null): string {
  return name !== null && /\.(?:txt|md|csv|json|html?|xml|ya?ml)$/i.test(name) ? "text/plain" : "application/pdf";
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json" || mediaType === "application/xml";
}

function readDataUrl(url: string): { mediaType: string; base64: string } | null {
  const comma = url.slice(0, 200).indexOf(",");
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[\w.-]+)*;base64$/i.exec(url.slice(0, Math.max(comma, 0)));
  return head ? { mediaType: head[1]!.toLowerCase(), base64: url.slice(comma + 1) } : null;
}

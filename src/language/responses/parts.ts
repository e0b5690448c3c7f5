// Parts of messages and of tools' results in chat's words.
import { fail, failParameter } from "../../errors/fail.ts";
import { failFileId } from "./stateless.ts";
import type { ChatPart, InputPart } from "./types.ts";

export interface PartPlace {
  /** Path of the part, for errors. */
  param: string;
  /** As the request names it. */
  model: string;
}

/** Null: a part without words. */
export function toChatPart(part: InputPart, place: PartPlace): ChatPart | null {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
    case "reasoning_text":
      return part.text ? { type: "text", text: part.text } : null;
    case "refusal":
      return part.refusal ? { type: "text", text: part.refusal } : null;
    case "input_image":
      return imagePart(part, place);
    case "input_file":
      return filePart(part, place);
    case "input_audio":
      return { type: "input_audio", input_audio: part["input_audio"] };
    default:
      return fail("unsupported_content", { param: place.param, text: { model: place.model, kind: part.type.slice(0, 60) } });
  }
}

export function textOf(parts: readonly ChatPart[]): string {
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function imagePart({ image_url, detail, file_id }: InputPart, { param }: PartPlace): ChatPart {
  if (image_url == null) return file_id == null ? failParameter(`${param}.image_url`, "it is required") : failFileId(`${param}.file_id`);
  const shown = detail === "original" ? "high" : detail;
  return { type: "image_url", image_url: { url: image_url, ...(shown == null ? {} : { detail: shown }) } };
}

function filePart({ file_data, file_id, filename, ...part }: InputPart, { param }: PartPlace): ChatPart {
  if (file_data != null) return { type: "file", file: { ...(filename == null ? {} : { filename }), file_data } };
  if (file_id != null) return failFileId(`${param}.file_id`);
  if (part["file_url"] != null) return failParameter(`${param}.file_url`, "files are not fetched here: send file_data, a data URL");
  return failParameter(`${param}.file_data`, "it is required");
}

// What the blocks of a message are to a chat model: texts, images and files (WIRE.md 7, column B).
import { UpstreamError } from "../types.ts";
import { blocksOf, type DocumentBlock, type ImageBlock, type KnownBlock } from "./message-types.ts";

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** Empty texts are no parts: several hosts refuse them. Thinking and tool blocks are not for here. */
export function partsOf(block: KnownBlock): ChatPart[] {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image":
      return [imagePart(block)];
    case "document":
      return documentParts(block);
    case "search_result":
      return textPart([block.title, block.source, ...block.content.map(({ text }) => text)].join("\n"));
    default:
      return [];
  }
}

/** One text is a plain string, which every host takes. */
export function contentOf(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.type === "text" ? first.text : parts;
}

function textPart(text: string): ChatPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function imagePart({ source }: ImageBlock): ChatPart {
  if (source.type === "base64") return { type: "image_url", image_url: { url: dataUrl(source) } };
  if (source.type === "url") return { type: "image_url", image_url: { url: source.url } };
  throw unreadable("a stored file");
}

function documentParts({ source, title, context }: DocumentBlock): ChatPart[] {
  const about = [title, context].filter((text) => text != null && text !== "");
  const heading = textPart(about.join("\n"));
  switch (source.type) {
    case "base64":
      return [
        ...(context == null ? [] : textPart(context)),
        { type: "file", file: { filename: title ?? "document.pdf", file_data: dataUrl(source) } },
      ];
    case "text":
      return textPart([...about, source.data].join("\n\n"));
    case "content":
      return [...heading, ...blocksOf(source.content).flatMap(partsOf)];
    default:
      throw unreadable("a document at an address");
  }
}

function dataUrl({ media_type, data }: { media_type: string; data: string }): string {
  return `data:${media_type};base64,${data}`;
}

/** Another route of the model may speak the Anthropic dialect and read it; where none does, the order has refused it. */
function unreadable(what: string): UpstreamError {
  return new UpstreamError("gone", `this protocol cannot carry ${what}`);
}

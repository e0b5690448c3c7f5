// Contents that a text-only model cannot read: both operations of /v1/messages refuse them alike.
import { hello } from "./message-events.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } };

export function assistantMessage(...content: object[]) {
  return { messages: [{ role: "user", content }] };
}

function result(...content: object[]) {
  return {
    messages: [
      ...hello,
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] },
    ],
  };
}

/** The kind that is named, the request, and where. */
export const unreadable: [string, object, string][] = [
  ["image", assistantMessage({ type: "text", text: "Look:" }, image), "messages[0].content[1]"],
  ["image", result(image), "messages[2].content[0].content[0]"],
  [
    "image",
    assistantMessage({ type: "document", source: { type: "content", content: [image] } }),
    "messages[0].content[0].source.content[0]",
  ],
  ["file", assistantMessage(pdf), "messages[0].content[0]"],
  ["stored file", assistantMessage({ type: "image", source: { type: "file", file_id: "file_1" } }), "messages[0].content[0]"],
  ["stored file", assistantMessage({ type: "document", source: { type: "file", file_id: "file_1" } }), "messages[0].content[0]"],
  ["server_tool_use", assistantMessage({ type: "server_tool_use", id: "s", name: "web_search", input: {} }), "messages[0].content[0]"],
  ["tool_reference", assistantMessage({ type: "tool_reference", tool_name: "x" }), "messages[0].content[0]"],
  ["untyped", assistantMessage({ type: "" }), "messages[0].content[0]"],
  ["thought", result({ type: "thought", text: "x" }), "messages[2].content[0].content[0]"],
  ["web_search_20250305 tool", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0]"],
  ["web_fetch_20250910 tool", { tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 1 }] }, "tools[0]"],
  ["code_execution_20250825 tool", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools[0]"],
];

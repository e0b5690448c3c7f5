// The types of /v1/responses, as the contract has them, and the chat types that they become.
import type { components } from "../../../generated/api.d.ts";

type Schemas = components["schemas"];

export type ResponseRequest = Schemas["ResponseRequest"];
export type ResponseObject = Schemas["ResponseObject"];
export type InputItem = Schemas["ResponseInputItem"];
export type InputPart = Schemas["ResponseInputPart"];
export type OutputItem = Schemas["ResponseOutputItem"];
export type Tool = Schemas["ResponseTool"];
export type Logprob = Schemas["ResponseLogprob"];

/** A part of a chat message. */
export interface ChatPart {
  type: string;
  [key: string]: unknown;
}

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | ChatPart[] | null;
  reasoning_content?: string;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ChatFunction {
  type: "function";
  function: { name: string; description?: string; parameters?: object; strict?: boolean };
}

/** How a call of a function that the model sees is shown to the client. */
export interface Callable {
  kind: "function" | "custom";
  name: string;
  namespace: string | null;
}

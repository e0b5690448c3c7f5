// The form of a row of Vertex's corpus, and where rows come from: Firebase's mock responses, the AI SDK's and pydantic-ai's recordings and
// reports of users, with our own words in them. Those of the Gemini API stand beside: ../gemini/corpus.ts.
import type { Shape } from "../corpus.ts";

export const github = (path: string) => `https://github.com/${path}`;

export interface VertexRow extends Shape {
  publisher: "google" | "anthropic";
  /** A whole answer, or a stream's records; for Anthropic's models each has its event's name as `type`. */
  answer?: object;
  records?: object[];
  /** Tokens: input, cache read, cache write, output; null: not reported. */
  usage?: [number, number, number, number] | null;
}

export const model = { modelVersion: "gemini-2.5-flash", createTime: "2026-01-01T09:00:00.123456Z", responseId: "D36oasj5EKXK_uMPsvKGwQk" };
export const onDemand = { trafficType: "ON_DEMAND" };
export const usage = (prompt: number, output: number, more: object = {}) => ({
  usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: output, totalTokenCount: prompt + output, ...onDemand, ...more },
});
export const claude = { id: "msg_vrtx_01AbCd", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
export const told = (text: string) => ({ type: "text", text });
export const missing =
  "Publisher Model `projects/p/locations/us-central1/publishers/google/models/gemini-9` was not found or your project does not have access to it. Please ensure you are using a valid model version.";
export const quota =
  "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: anthropic-claude-3-5-sonnet-v2. Please submit a quota increase request.";
export const anthropics = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_vrtx_011CVV" });
export const row = (name: string, publisher: VertexRow["publisher"], source: string) => ({ name, publisher, source });

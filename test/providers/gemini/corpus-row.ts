// The form of a row of the corpus, and where rows come from: Firebase's mock responses (`firebase`), the AI SDK's and pydantic-ai's recordings
// of the Gemini API (`ai-sdk`, `pydantic-ai`) and the types of Google's client, with our own words in them.
import type { Shape } from "../corpus.ts";

/** https://github.com/FirebaseExtended/vertexai-sdk-test-data, folder mock-responses. */
export const firebase = (name: string) => `firebase: ${name}`;
/** https://github.com/vercel/ai, folder packages/google/src/__fixtures__. */
export const aiSdk = (name: string) => `ai-sdk: ${name}`;

/** https://github.com/pydantic/pydantic-ai, folder tests/models/cassettes. */
export const recorded = (name: string) => `pydantic-ai: test_google/${name}.yaml`;
export const genai = (type: string) => `google-genai 3.6.1, google/genai/types.py: ${type}`;

export interface Row extends Shape {
  /** A whole answer, or a stream's records. */
  answer?: object;
  records?: object[];
  /** Tokens: input, cache read, output, reasoning; null: not reported. */
  usage?: [number, number, number, number] | null;
}

export const details = (tokens: number) => [{ modality: "TEXT", tokenCount: tokens }];
export const model = { modelVersion: "gemini-3.7-flash", responseId: "D36oasj5EKXK_uMPsvKGwQk" };
export const content = (...parts: object[]) => ({ parts, role: "model" });
export const failure = (code: number, status: string, message: string, more: object = {}) => ({
  error: { code, message, status, ...more },
});

// The form of a row of the corpus, and where rows come from: Firebase's mock responses (`firebase`) and the AI SDK's recordings of the
// Gemini API (`ai-sdk`), with our own words in them.

/** https://github.com/FirebaseExtended/vertexai-sdk-test-data, folder mock-responses. */
export const firebase = (name: string) => `firebase: ${name}`;
/** https://github.com/vercel/ai, folder packages/google/src/__fixtures__. */
export const aiSdk = (name: string) => `ai-sdk: ${name}`;

export interface Row {
  name: string;
  source: string;
  /** A whole answer, or a stream's records. */
  answer?: object;
  records?: object[];
  /** Tokens: input, cache read, output, reasoning; null: not reported. */
  usage?: [number, number, number, number] | null;
  told?: { content?: string | null; reasoning?: string; calls?: [string, string][]; finish: string };
  status?: number;
  fault?: string;
  reason?: string;
  retryAfterMs?: number;
}

export const details = (tokens: number) => [{ modality: "TEXT", tokenCount: tokens }];
export const model = { modelVersion: "gemini-3.7-flash", responseId: "D36oasj5EKXK_uMPsvKGwQk" };
export const content = (...parts: object[]) => ({ parts, role: "model" });
export const failure = (code: number, status: string, message: string, more: object = {}) => ({
  error: { code, message, status, ...more },
});

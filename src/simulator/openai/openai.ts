// The OpenAI protocol: its paths and its error envelope. Each operation but the list of models has a file beside this one.
import { type Plan, planFields, type SimulatorProtocol } from "../protocol.ts";
import { createdAt } from "../seed.ts";
import { planChat, planCompletion } from "./chat.ts";
import { planEmbeddings } from "./embeddings.ts";
import { findImageFile, planEdit, planGeneration, planVariation } from "./images.ts";
import { planSpeech } from "./speech.ts";
import { planTranscription, planTranslation } from "./transcriptions.ts";

/** More than any gateway passes on. */
const recordingBytesMax = 128 * 1024 * 1024;

export const openai: SimulatorProtocol = {
  name: "openai",
  prefixes: ["/openai/v1", "/v1"],
  findOperation(method, path) {
    if (method === "POST" && path === "/chat/completions") return planChat;
    if (method === "POST" && path === "/completions") return planCompletion;
    if (method === "POST" && path === "/embeddings") return planEmbeddings;
    if (method === "GET" && path === "/models") return planModels;
    if (method === "GET" && path.startsWith("/models/")) return () => planModel(decodeURIComponent(path.slice("/models/".length)));
    return null;
  },
  findLive(method, path) {
    if (method === "POST" && path === "/images/generations") return planGeneration;
    if (method === "POST" && path === "/images/edits") return planEdit;
    if (method === "POST" && path === "/images/variations") return planVariation;
    if (method === "POST" && path === "/audio/speech") return planSpeech;
    if (method === "POST" && path === "/audio/transcriptions") return planTranscription;
    if (method === "POST" && path === "/audio/translations") return planTranslation;
    return method === "GET" || method === "HEAD" ? findImageFile(path) : null;
  },
  bodyBytesMax: (path) => (/^\/audio\/trans(cription|lation)s$/.test(path) ? recordingBytesMax : undefined),
  renderRefusal: ({ message, type, param, code }) => JSON.stringify({ error: { message, type, param: param ?? null, code } }),
};

// GET /models: what the simulator names itself. Any other id works as well, so one model is found under every id.

const ids = ["sim-chat", "sim-vision", "sim-reason", "sim-embed"];

function planModels(): Plan {
  return planFields({ object: "list", data: ids.map(modelRow) });
}

function planModel(id: string): Plan {
  return planFields(modelRow(id));
}

function modelRow(id: string): Record<string, unknown> {
  return { id, object: "model", created: createdAt, owned_by: "simulator" };
}

// The OpenAI protocol: its paths and its error envelope. Each operation stands in a file of its own beside this one.
import type { SimulatorProtocol } from "../protocol.ts";
import { planChat } from "./chat.ts";
import { planEmbeddings } from "./embeddings.ts";
import { findImageFile, planEdit, planGeneration } from "./images.ts";
import { planModel, planModels } from "./models.ts";

export const openai: SimulatorProtocol = {
  name: "openai",
  prefixes: ["/openai/v1", "/v1"],
  findOperation(method, path) {
    if (method === "POST" && path === "/chat/completions") return planChat;
    if (method === "POST" && path === "/embeddings") return planEmbeddings;
    if (method === "GET" && path === "/models") return planModels;
    if (method === "GET" && path.startsWith("/models/")) return () => planModel(decodeURIComponent(path.slice("/models/".length)));
    return null;
  },
  findLive(method, path) {
    if (method === "POST" && path === "/images/generations") return planGeneration;
    if (method === "POST" && path === "/images/edits") return planEdit;
    return method === "GET" || method === "HEAD" ? findImageFile(path) : null;
  },
  renderRefusal: ({ message, type, param, code }) => JSON.stringify({ error: { message, type, param: param ?? null, code } }),
};

// The Anthropic protocol: its paths, its framing and its error envelope. Each operation stands in a file of its own beside this one.
import type { SimulatorProtocol } from "../protocol.ts";
import { eventName, renderError, requestId, rewordRefusal } from "./errors.ts";
import { planCount, planMessage } from "./messages.ts";
import { planModel, planModels } from "./models.ts";

export const anthropic: SimulatorProtocol = {
  name: "anthropic",
  prefixes: ["/anthropic/v1"],
  headers: { "request-id": requestId },
  readVariant: ({ "anthropic-version": version }) => (typeof version === "string" ? version : ""),
  findOperation(method, path) {
    if (method === "POST" && path === "/messages") return planMessage;
    if (method === "POST" && path === "/messages/count_tokens") return planCount;
    if (method === "GET" && path === "/models") return planModels;
    if (method === "GET" && path.startsWith("/models/")) return () => planModel(decodeURIComponent(path.slice("/models/".length)));
    return null;
  },
  rewordRefusal,
  renderRefusal: renderError,
  eventName,
  errorEndsStream: true,
};

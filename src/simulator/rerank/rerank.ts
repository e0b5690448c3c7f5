// The rerank protocol: its path and its error envelopes. Hosts differ in both; a knob in the model id says which one answers.
import type { SimulatorProtocol } from "../protocol.ts";
import { planRerank } from "./documents.ts";
import { hostOf, renderErrorAs } from "./hosts.ts";

export const rerank: SimulatorProtocol = {
  name: "rerank",
  prefixes: ["/rerank"],
  findOperation: (method, path) => (method === "POST" && /^(\/v[12])?\/rerank$/.test(path) ? planRerank : null),
  renderRefusal: (refusal) => JSON.stringify(renderErrorAs(hostOf(refusal.knobs ?? {}), refusal)),
};

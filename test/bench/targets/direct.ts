// No proxy at all: what the network, the mock and the load generator take by themselves.
import type { Target } from "./types.ts";

export const direct: Target = {
  name: "direct",
  title: "direct, no proxy",
  start: async ({ mockUrl }) => ({
    name: "direct",
    owner: "direct",
    url: `${mockUrl}/direct`,
    pids: () => [],
    logFile: null,
    headers: {},
    keys: [],
    ledger: null,
    stop: async () => undefined,
  }),
};

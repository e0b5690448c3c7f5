// Azure: filter results before the first choice.
import { type Host, tokens } from "./shown.ts";

export const azure: Host = {
  answers: {
    "filter-results.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
  },
  faults: {
    "error-400-filter.json": {
      fault: "refused",
      reason: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      param: "prompt",
    },
  },
};

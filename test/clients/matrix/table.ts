// The form of the matrix of clients: a row for each client, a cell for each column that was run.
import type { MatrixForm } from "../../support/matrix-page.ts";

/** Empty: the client has no such call. "about": it shows an estimate. "text": a sentence. */
export type Cell = "yes" | "no" | "about" | "text" | "";

export const form: MatrixForm = {
  file: "client-matrix.md",
  names: ["client", "version"],
  columns: [
    "chat",
    "stream",
    "tools",
    "structured",
    "embeddings",
    "errors",
    "usage",
    "usage streamed",
    "cost",
    "cost streamed",
    "refused",
    "models",
    "batch",
  ],
  head: `# The matrix of clients

Written by \`npm run test:clients\`, which installs all of them and runs every cell against a gateway. The agents and a few others are too large for
everyday installs: elsewhere their rows are not run, and stay as they are. An empty cell: the client has no such call, or none was tried.

- chat, stream, tools, structured, embeddings: the call as the client makes it, and its answer in the client's own types.
- errors: the program can read the code of a refusal. "text": it shows what the refusal says, not its code.
- usage, cost: the program can read what the call used and what was charged for it, exactly; of a whole answer and of a stream. "about": it rounds the
  tokens, or takes the input's from the beginning of a stream, where they are an estimate; a cost that it guesses by other prices.
- refused: the client's own type of errors for 401, 402, 404 and 429, with the status and the code, where it is told not to call again. models: its list
  of them. batch: a file sent up, a batch of it, and its results. These three are asked of the SDKs of the vendors and of this gateway, and of the others
  of Go and Rust; a framework over one of them has its types of errors.
`,
};

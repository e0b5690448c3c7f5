// A row of the matrix of clients: what a published client is asked for, and what its program sees of the answer.
import type { Customer } from "../clients.ts";

/** What a program sees, in the client's own members; undefined: the client does not show it. */
export interface Shown {
  text: string;
  /** Tokens. */
  input?: number | undefined;
  output?: number | undefined;
  /** USD. */
  cost?: number | undefined;
}

/** Where the gateway is, and whose key calls. */
export interface At {
  base: string;
  customer: Customer;
  /** The tools that upstreams were told the results of, oldest first. */
  toolsCalled: () => string[];
}

export interface Client {
  name: string;
  version: string;
  /** A path that is there where it is installed: it is one of those that only npm run test:clients installs. */
  needs?: string;
  chat?: (at: At) => Promise<Shown>;
  stream?: (at: At) => Promise<Shown>;
  /** Its tokens are not exact: it rounds them, or takes a stream's input from its beginning, where nothing is counted yet. */
  estimates?: readonly ("chat" | "stream")[];
  /** Its cost is a guess of its own. */
  guessesCost?: true;
  /** The name of the tool that the model called: `toolCalled`, else get_weather. */
  tools?: (at: At) => Promise<string | undefined>;
  toolCalled?: string;
  /** A value of the schema `title`, `stars`. */
  structured?: (at: At) => Promise<unknown>;
  /** How long a vector is. */
  embeddings?: (at: At) => Promise<number | undefined>;
  /** The code that a call of a model that is not served shows. */
  errors?: (at: At) => Promise<unknown>;
  /** What it says of such a call, where it shows no code. */
  refusal?: (at: At) => Promise<unknown>;
  /** The status and the code that its own type of errors has of a call to this model, which is refused; and the type, where it has several. */
  refused?: (at: At, model: string) => Promise<{ status: number; code: string; type?: string }>;
  /** By status. */
  typesOfErrors?: Readonly<Record<number, string>>;
  /** The ids of its list. */
  models?: (at: At) => Promise<unknown>;
  /** What the output file of a batch of this one line has. */
  batch?: (at: At, line: string) => Promise<string>;
}

export const model = "plain/chat";
export const embedder = "vectors/small";
export const question = "Tell me about the sea.";
export const toolQuestion = "Call get_weather, please.";
export const unserved = "none/such";

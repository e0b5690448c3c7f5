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
}

export interface Client {
  name: string;
  version: string;
  chat?: (at: At) => Promise<Shown>;
  stream?: (at: At) => Promise<Shown>;
  /** It takes the tokens of a stream's input from its beginning, where nothing is counted yet. */
  estimatesStreams?: true;
  /** The name of the tool that the model called. */
  tools?: (at: At) => Promise<string | undefined>;
  /** A value of the schema `title`, `stars`. */
  structured?: (at: At) => Promise<unknown>;
  /** How long a vector is. */
  embeddings?: (at: At) => Promise<number | undefined>;
  /** The code that a call of a model that is not served shows. */
  errors?: (at: At) => Promise<unknown>;
}

export const model = "plain/chat";
export const embedder = "vectors/small";
export const question = "Tell me about the sea.";
export const toolQuestion = "Call get_weather, please.";
export const unserved = "none/such";

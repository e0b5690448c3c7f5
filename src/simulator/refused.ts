// How the simulator refuses a request: in every protocol the same facts, each protocol in its own envelope.
import type { Knobs } from "./knob-list.ts";

export interface Refusal {
  status: number;
  type: string;
  code: string | null;
  param?: string | null;
  message: string;
  headers?: Record<string, string>;
  /** Those of the model that refuses, for a protocol whose hosts have envelopes of their own. */
  knobs?: Knobs;
}

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(param: string | null, message: string, code: string | null = null): never {
  throw new Refused({ status: 400, type: "invalid_request_error", code, param, message });
}

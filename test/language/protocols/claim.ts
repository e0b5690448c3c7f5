// What every claim of the matrix uses: a column's gateway, what is asked, and how a refusal is held.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import type { Purpose } from "./columns.ts";

/** One column of the matrix. */
export interface At {
  account: TestAccount;
  model(purpose: Purpose): string;
  post(path: string, body: object): Promise<TestReply>;
  /** Leaves the stream once `delta` has matched three times; the usage log's row, when it is there. */
  leave(path: string, body: object, delta: RegExp): Promise<Record<string, unknown>>;
  /** Bodies that the host got. */
  sent(): unknown[];
  spent(): Promise<number>;
}

export type Claim = (at: At) => Promise<void>;

export const text = "Tell me about the sea.";
export const picture = "iVBORw0KGgo=";
export const pdf = "JVBERi0=";
export const address = "https://example.com/sea.png";
export const schema = {
  type: "object",
  properties: { title: { type: "string" }, stars: { type: "integer" } },
  required: ["title", "stars"],
  additionalProperties: false,
};
export const parameters = { type: "object", properties: { place: { type: "string" } } };
export const asked = "Call get_weather, please.";
export const bothAsked = "Call get_weather and get_tides, please.";
/** Simulated answers repeat it. */
export const stopWord = "sea";
export const rules = "Answer as a sailor would, in few words, and never name a ship by its name.";

export async function answered(asking: Promise<TestReply>): Promise<TestReply> {
  const reply = await asking;
  expect(reply.status, reply.text).toBe(200);
  return reply;
}

export async function refused(at: At, reply: Promise<TestReply>, status: number, key: string, word: string): Promise<void> {
  const { status: told, json } = await reply;
  expect([told, json.error[key]]).toEqual([status, word]);
  expect(await at.spent()).toBe(0);
}

/** What the hosts got under a name, wherever it stands. */
export function sentAs(at: At, name: RegExp): unknown[] {
  const found: unknown[] = [];
  const search = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (name.test(key)) found.push(inner);
      search(inner);
    }
  };
  at.sent().forEach(search);
  return found;
}

// The rules that every record of a chat stream keeps, whichever host it came from (docs/behaviour/streams.md#chunks).
import { expect } from "vitest";
import { publicModel } from "./chat-fixture.ts";

/** All tools of the fixtures are named `look`. */
export function expectRules(records: any[]): void {
  const roles = new Map<number, number>();
  const started = new Set<number>();
  const [head] = records;
  for (const record of records) {
    expect(record).toMatchObject({ id: head.id, object: "chat.completion.chunk", created: head.created, model: publicModel });
    expect(record.id).not.toBe("");
    for (const key of ["error", "usage", "x_groq", "obfuscation"]) expect(record).not.toHaveProperty(key);
    expect(Array.isArray(record.choices) && record.choices.length > 0).toBe(true);
    for (const { index, delta, finish_reason } of record.choices) {
      if (!roles.has(index)) expect(delta.role).toBe("assistant");
      else expect(delta).not.toHaveProperty("role");
      roles.set(index, 1);
      expect(delta).not.toHaveProperty("reasoning");
      expect([null, "stop", "length", "tool_calls", "content_filter", "function_call"]).toContain(finish_reason);
      for (const call of delta.tool_calls ?? []) {
        if (!started.has(call.index))
          expect(call).toMatchObject({ id: expect.stringMatching(/./), type: "function", function: { name: "look", arguments: "" } });
        else expect(call).toEqual({ index: call.index, function: { arguments: expect.any(String) } });
        started.add(call.index);
      }
    }
  }
  const last = new Map(records.flatMap((record) => record.choices.map((choice: any) => [choice.index, choice.finish_reason])));
  for (const finish of last.values()) expect(finish).not.toBeNull();
}

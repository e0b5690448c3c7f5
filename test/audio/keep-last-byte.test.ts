// All but the last byte goes out at once.
import { expect, test } from "vitest";
import { keepLastByte } from "../../src/audio/audio-reply.ts";

function pushed(...pieces: string[]): { out: string[]; last: string } {
  const out: string[] = [];
  const kept = keepLastByte((chunk) => void out.push(chunk.toString()));
  for (const piece of pieces) void kept.push(Buffer.from(piece));
  return { out, last: kept.last().toString() };
}

test.each([
  [["abc"], ["ab"], "c"],
  [["abc", "def"], ["ab", "c", "de"], "f"],
  [["a"], [], "a"],
  [["a", "b", "c"], ["a", "b"], "c"],
  [["ab", "", "c"], ["a", "b"], "c"],
  [[], [], ""],
])("%j: %j goes out, %j stays", (pieces, out, last) => {
  expect(pushed(...pieces)).toEqual({ out, last });
});

test("the writer's promise is returned to the caller of push", async () => {
  const gate = Promise.withResolvers<void>();
  const kept = keepLastByte(() => gate.promise);
  const waiting = kept.push(Buffer.from("ab"));
  expect(waiting).toBe(gate.promise);
  gate.resolve();
  await waiting;
});

// The one promise of retries, for any sequence of answers: what may have been done is not asked for twice, and there is always an end.
import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { Svc, SvcError } from "../../generated/sdk/index.js";

/** No call here touches a socket, so every wait may be none. */
const real = globalThis.setTimeout;
beforeEach(() => {
  const shortened = (run: () => void, ms: number) => (ms < 600_000 ? real(run, 0) : real(run, ms));
  vi.spyOn(globalThis, "setTimeout").mockImplementation(shortened as never);
});

interface Try {
  kind: "answer" | "broken" | "refused connection";
  status: number;
  said: "true" | "false" | null;
  after: string | null;
}

const tries = fc.array(
  fc.record<Try>({
    kind: fc.constantFrom("answer", "answer", "broken", "refused connection"),
    status: fc.constantFrom(200, 400, 402, 408, 429, 500, 502, 503, 504),
    said: fc.constantFrom("true", "false", null),
    after: fc.constantFrom(null, "0", "1", "60", "61", "soon"),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Answers in turn, the last one for ever; `done` are the tries that may have reached the gateway. */
function host(plan: readonly Try[]) {
  const done: Try[] = [];
  let count = 0;
  const fetch = async (): Promise<Response> => {
    const now = plan[Math.min(count, plan.length - 1)]!;
    count += 1;
    if (now.kind === "refused connection")
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) });
    done.push(now);
    if (now.kind === "broken") throw new TypeError("fetch failed");
    const headers = { ...(now.said && { "x-should-retry": now.said }), ...(now.after && { "retry-after": now.after }) };
    return Response.json(now.status === 200 ? { data: [] } : { error: { message: "No.", code: "c" } }, { status: now.status, headers });
  };
  return { fetch, done, count: () => count };
}

const asked = ({ kind, said, status }: Try) => kind === "answer" && status !== 200 && said === "true";

test("a POST without a key reaches the gateway again only after it said so; every call ends within its retries", async () => {
  await fc.assert(
    fc.asyncProperty(tries, fc.integer({ min: 0, max: 5 }), async (plan, maxRetries) => {
      const { fetch, done, count } = host(plan);
      const svc = new Svc({ baseURL: "http://h", apiKey: "k", fetch, maxRetries });
      await svc.chat.completions.create({ model: "m", messages: [] }).catch((error: unknown) => expect(SvcError.is(error)).toBe(true));
      expect(count()).toBeLessThanOrEqual(maxRetries + 1);
      expect(done.slice(0, -1).every(asked)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a GET ends with the first success, a final refusal or the last retry, and never asks after one that is final", async () => {
  await fc.assert(
    fc.asyncProperty(tries, fc.integer({ min: 0, max: 5 }), async (plan, maxRetries) => {
      const { fetch, done, count } = host(plan);
      const svc = new Svc({ baseURL: "http://h", apiKey: "k", fetch, maxRetries });
      const result = await svc.jobs.list().result();
      expect(count()).toBeLessThanOrEqual(maxRetries + 1);
      const last = done.at(-1);
      expect(result.ok).toBe(
        last?.kind === "answer" && last.status === 200 && done.length > 0 && plan[Math.min(count(), plan.length) - 1] === last,
      );
      expect(done.slice(0, -1).some(({ kind, status, said }) => kind === "answer" && (status === 200 || said === "false"))).toBe(false);
    }),
    { numRuns: 300 },
  );
});

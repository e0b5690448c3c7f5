// A client that goes in every way that clients go: at once or after a while, with an end or a reset, after it stalled or read in sips.
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import type { Form } from "./forms.ts";

export interface Leaving {
  /** Goes so many ms after it asked, or once so many bytes of the answer came, whichever is first. */
  afterMs: number;
  afterBytes: number;
  /** Reads nothing for so long before it reads on. */
  stallsMs: number;
  /** Reads so many bytes, then waits for a moment; 0: as they come. */
  sipBytes: number;
  reset: boolean;
}

export const leavings: fc.Arbitrary<Leaving> = fc.record({
  afterMs: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 250 }) }, { weight: 2, arbitrary: fc.constant(60_000) }),
  afterBytes: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 6_000 }) }, { weight: 1, arbitrary: fc.constant(Infinity) }),
  stallsMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }) }),
  sipBytes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 400 }) }),
  reset: fc.boolean(),
});

/** Resolves when its connection is closed, by whichever side. */
export async function askAndLeave(
  url: string,
  key: string,
  id: string,
  form: Form,
  leaving: Leaving,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": form.type,
    "x-request-id": id,
    "anthropic-version": "2023-06-01",
    ...more,
  };
  const call = request(`${url}${form.path}`, { method: "POST", agent: false, headers });
  const closed = new Promise<void>((resolve) => call.once("close", resolve));
  call.on("error", () => undefined);
  const go = () => {
    if (leaving.reset) call.socket?.resetAndDestroy();
    call.destroy();
  };
  const timer = setTimeout(go, leaving.afterMs);
  call.once("response", async (reply) => {
    reply.on("error", () => undefined);
    let bytes = 0;
    if (leaving.stallsMs > 0) await pause(leaving.stallsMs);
    const take = (piece: Buffer | null) => {
      bytes += piece?.length ?? 0;
      if (bytes >= leaving.afterBytes) go();
    };
    if (leaving.sipBytes === 0) return void reply.on("data", take);
    while (!reply.destroyed && !reply.readableEnded) {
      take((reply.read(Math.min(leaving.sipBytes, reply.readableLength)) as Buffer | null) ?? null);
      await pause(1);
    }
  });
  call.end(form.body);
  await closed;
  clearTimeout(timer);
}

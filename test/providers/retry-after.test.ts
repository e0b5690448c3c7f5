// How long a host asks to wait, in all its forms.
import { describe, expect, test } from "vitest";
import { retryAfterMs } from "../../src/providers/transport/exchange.ts";

describe("retry-after", () => {
  const now = new Date("2026-11-21T00:00:00Z");
  test.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "0.25" }, 250],
    [{ "retry-after": "9", "retry-after-ms": "120.5" }, 121],
    [{ "retry-after": "Sat, 21 Nov 2026 00:01:30 GMT" }, 90_000],
    [{ "retry-after": "Fri, 20 Nov 2026 00:00:00 GMT" }, 0],
    [{ "retry-after": "99999999" }, 3_600_000],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-1" }, 0],
    [{}, null],
  ])("%j is %s ms", (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});

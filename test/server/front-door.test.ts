// The address alone: a browser is sent to the documentation, a program gets the JSON that it always got.
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, startEdge, type EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
beforeAll(async () => void (edge = await startEdge()));
afterAll(() => edge.close());

test.each(["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])(
  "302 to docs, relative, for %s",
  async (accept) => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await fetch(`${edge.url}/`, { method, redirect: "manual", headers: { accept } });
      expect([reply.status, reply.headers.get("location"), reply.headers.get("vary")]).toEqual([302, "docs", "accept"]);
    }
  },
);

test.each([undefined, "*/*", "application/json", "text/html;q=0"])("200 with the addresses to start from, for %s", async (accept) => {
  const { status, body, headers } = await call(edge, "/", { headers: accept === undefined ? {} : { accept } });
  expect([status, body, headers.get("vary")]).toEqual([200, { status: "ok", docs: "/docs", openapi: "/openapi.json" }, "accept"]);
});

test("405 for anything but GET and HEAD, also from a browser", async () => {
  const { status, headers } = await call(edge, "/", { method: "POST", headers: { accept: "text/html" } });
  expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

// The address alone: a browser is sent to the console, or to the documentation where the console is not built; a program gets the JSON that it always got.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, startEdge, type EdgeUnderTest } from "./start-edge.ts";

const place = existsSync(new URL("../../dist/console/index.html", import.meta.url)) ? "console" : "docs";
let edge: EdgeUnderTest;
beforeAll(async () => void (edge = await startEdge()));
afterAll(() => edge.close());

test.each(["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])(
  "302 to the console or the docs, relative, for %s",
  async (accept) => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await fetch(`${edge.url}/`, { method, redirect: "manual", headers: { accept } });
      expect([reply.status, reply.headers.get("location"), reply.headers.get("vary")]).toEqual([302, place, "accept"]);
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

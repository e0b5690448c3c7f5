// The benchmark itself, in its shortest form: that it runs, measures and compares the money. Its figures mean nothing here.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Figures } from "./measure.ts";
import type { Parity } from "./parity.ts";
import { oneInThree } from "../support/size.ts";

interface Written {
  parities: Parity[];
  results: Record<string, { figures: Figures[] }>;
}

oneInThree()(
  "npm run bench: measures chats and streams of the gateway beside the reference, and the ledger charged what was delivered",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-test-"));
    const out = join(folder, "out.json");
    const args = ["test/bench/run.ts", "--quick", "--only", "chat-16,stream-16", "--targets", "ours", "--out", out];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|DATABASE|SVC_)/.test(name)));
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }); // throws with all it said where it doesn't end with 0
    const { parities, results } = JSON.parse(readFileSync(out, "utf8")) as Written;
    rmSync(folder, { recursive: true });

    expect(parities).toHaveLength(2);
    for (const { ok, requests, entries, logged, charged, delivered } of parities) {
      expect({ ok, entries, logged, charged }).toEqual({ ok: true, entries: requests, logged: requests, charged: delivered });
      expect(requests).toBeGreaterThan(0);
    }
    for (const scenario of ["chat-16", "stream-16"]) {
      const figures = results[scenario]!.figures;
      expect(figures.map(({ target }) => target)).toEqual(["bare", "ours"]);
      for (const { cpuUs, ratio, p50, p99, perSecond } of figures)
        for (const figure of [cpuUs, ratio, p50, p99, perSecond]) expect(figure).toBeGreaterThan(0);
    }
    expect(stdout).toContain("| CPU of a billed chat request, 64 connections, against bare");
  },
);

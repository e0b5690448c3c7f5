// The protocols that the simulator speaks. A new one is a folder beside openai/ and a line here; longest prefix first.
import { anthropic } from "./anthropic/anthropic.ts";
import { elevenlabs } from "./elevenlabs/elevenlabs.ts";
import { openFal } from "./fal/fal.ts";
import { openMinimax } from "./minimax/minimax.ts";
import { openai } from "./openai/openai.ts";
import { rerank } from "./rerank/rerank.ts";
import type { SimulatorProtocol } from "./protocol.ts";

export interface Found {
  protocol: SimulatorProtocol;
  prefix: string;
  /** What is left of the path below the prefix. */
  rest: string;
}

export const fallbackProtocol: SimulatorProtocol = openai;

/** Those of one simulator: each has a state of its own. */
export function openProtocols(): readonly SimulatorProtocol[] {
  return [anthropic, openai, rerank, openFal(), elevenlabs, openMinimax()];
}

/** The protocol that a path is meant for. */
export function findProtocol(protocols: readonly SimulatorProtocol[], path: string): Found | null {
  for (const protocol of protocols) {
    const prefix = protocol.prefixes.find((candidate) => path.startsWith(`${candidate}/`));
    if (prefix !== undefined) return { protocol, prefix, rest: path.slice(prefix.length) };
  }
  return null;
}

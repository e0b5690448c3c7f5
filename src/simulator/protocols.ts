// The protocols that the simulator speaks. A new one is a folder beside openai/ and a line here; longest prefix first.
import { anthropic } from "./anthropic/anthropic.ts";
import { openai } from "./openai/openai.ts";
import { rerank } from "./rerank/rerank.ts";
import type { SimulatorProtocol } from "./protocol.ts";

const protocols: readonly SimulatorProtocol[] = [anthropic, openai, rerank];

export const fallbackProtocol: SimulatorProtocol = openai;

/** The protocol that a path is meant for, and what is left of the path below its prefix. */
export function findProtocol(path: string): { protocol: SimulatorProtocol; rest: string } | null {
  for (const protocol of protocols) {
    const prefix = protocol.prefixes.find((candidate) => path.startsWith(`${candidate}/`));
    if (prefix !== undefined) return { protocol, rest: path.slice(prefix.length) };
  }
  return null;
}

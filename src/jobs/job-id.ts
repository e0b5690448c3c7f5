// How a job's id is shown: the door that it came through, and its row's id (WIRE.md 14 row 28).
import { parseUuidHex, uuidHex } from "../ids.ts";
import type { JobDoor } from "./types.ts";

const prefixes: Record<JobDoor, string> = { image: "job", video: "vid", genmedia: "gm" };
const doors = new Map(Object.entries(prefixes).map(([door, prefix]) => [prefix, door as JobDoor]));

export function jobIdText(door: JobDoor, id: string): string {
  return `${prefixes[door]}_${uuidHex(id)}`;
}

/** Undefined: no id of a job. */
export function parseJobId(text: string): { id: string; door: JobDoor } | undefined {
  const [, prefix = "", hex = ""] = /^([a-z]+)_([0-9a-f]{32})$/.exec(text) ?? [];
  const door = doors.get(prefix);
  const id = parseUuidHex(hex);
  return door === undefined || id === undefined ? undefined : { id, door };
}

// What `npm run bench` may be told: which scenarios and targets, how many rounds, how long a slice.
import { parseArgs } from "node:util";

export interface Options {
  /** Null: all. */
  only: string[] | null;
  targets: string[] | null;
  rounds: number;
  sliceMs: number;
  /** Of each process before it is measured. */
  warmUpRequests: number;
  quick: boolean;
  profile: boolean;
  /** The file the results go to; null: a new one in .bench/results. */
  out: string | null;
}

export const usage = `npm run bench -- [--only scenario,…] [--targets target,…] [--rounds N] [--quick] [--profile] [--out FILE]`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      targets: { type: "string" },
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const { quick } = values;
  return {
    only: values.only?.split(",") ?? null,
    targets: values.targets?.split(",") ?? null,
    rounds: values.rounds === undefined ? (quick ? 1 : 3) : Number(values.rounds),
    sliceMs: quick ? 500 : 2_000,
    warmUpRequests: quick ? 1 : 40_000,
    quick,
    profile: values.profile,
    out: values.out ?? null,
  };
}

// What a scenario is, and what all of them are given.
import type { Fleet } from "../fleet.ts";
import type { Ground } from "../ground.ts";
import type { Compared, Figures, Unit } from "../measure.ts";
import type { Options } from "../options.ts";
import type { Running } from "../targets/types.ts";

export interface Bench {
  ground: Ground;
  fleet: Fleet;
  options: Options;
  /** The reference. */
  reference: Running;
  /** Those of the names that this run is to measure, running. */
  targets(names: string[]): Promise<Running[]>;
  wanted(name: string): boolean;
  /** Of processes that a scenario started for itself: their money is compared, then they end. */
  checkAndStop(targets: Running[]): Promise<void>;
  /** For `npm run bench -- --profile`: around the slices of a target. */
  profiled<T>(target: Running, work: () => Promise<T>): Promise<T>;
}

export interface Scenario {
  name: string;
  title: string;
  run(bench: Bench): Promise<Result>;
}

export interface Result {
  unit: Unit;
  /** The reference first. */
  figures: Figures[];
  /** Figures that only this scenario has, by target. */
  extra: Record<string, Record<string, number>>;
  raw: Compared[];
  /** Under the table. */
  notes: string[];
}

// npm run bench -- --profile: where the processor time of a target goes, over its measured slices alone. The profiles are kept for
// Chrome's DevTools; what is printed is self time by function and by package or room.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Inspector, openInspectorOf } from "./inspector.ts";
import type { Running } from "./targets/types.ts";

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

export interface Profiler {
  around<T>(target: Running, work: () => Promise<T>): Promise<T>;
  /** Prints what was profiled since the last time, per so many units of each target. */
  report(scenario: string, units: Map<string, number>, unit: string): void;
  close(): void;
}

const folder = ".bench/profiles";
const functionsShown = 45;
const roomsShown = 16;
const samplingUs = 200;

export function openProfiler(): Profiler {
  const inspectors = new Map<Running, Inspector>();
  const taken = new Map<string, CpuProfile[]>();
  return {
    async around(target, work) {
      if (target.logFile === null) return work();
      let inspector = inspectors.get(target);
      if (inspector === undefined) {
        inspectors.set(target, (inspector = await openInspectorOf(target.logFile)));
        await inspector.call("Profiler.enable");
        await inspector.call("Profiler.setSamplingInterval", { interval: samplingUs });
      }
      await inspector.call("Profiler.start");
      const result = await work();
      const { profile } = await inspector.call<{ profile: CpuProfile }>("Profiler.stop");
      taken.set(target.name, [...(taken.get(target.name) ?? []), profile]);
      return result;
    },
    report(scenario, units, unit) {
      mkdirSync(folder, { recursive: true });
      for (const [name, profiles] of taken) {
        profiles.forEach((profile, index) =>
          writeFileSync(join(folder, `${scenario}-${name}-${index}.cpuprofile`), JSON.stringify(profile)),
        );
        print(`${scenario}, ${name}`, profiles, units.get(name) ?? NaN, unit);
      }
      taken.clear();
    },
    close() {
      for (const inspector of inspectors.values()) inspector.close();
    },
  };
}

function print(title: string, profiles: CpuProfile[], units: number, unit: string): void {
  const byFunction = selfTime(
    profiles,
    ({ functionName, url, lineNumber }) => `${functionName || "(anonymous)"}  ${placeOf(url)}${url && `:${lineNumber + 1}`}`,
  );
  const byRoom = selfTime(profiles, ({ functionName, url }) => (url === "" ? functionName || "(native)" : roomOf(placeOf(url))));
  const busyUs = [...byRoom].reduce((sum, [name, us]) => (name === "(idle)" ? sum : sum + us), 0);
  console.log(`\n#### profile of ${title}: self time, µs a ${unit} and share of the time that was not idle`);
  const lines = (times: Map<string, number>, shown: number) =>
    [...times]
      .filter(([name]) => !name.startsWith("(idle)"))
      .sort(([, a], [, b]) => b - a)
      .slice(0, shown)
      .map(([name, us]) => `${(us / units).toFixed(2).padStart(8)}  ${((us / busyUs) * 100).toFixed(1).padStart(5)} %  ${name}`);
  console.log([...lines(byRoom, roomsShown), "", ...lines(byFunction, functionsShown)].join("\n"));
}

type Frame = CpuProfile["nodes"][number]["callFrame"];

function selfTime(profiles: CpuProfile[], nameOf: (frame: Frame) => string): Map<string, number> {
  const times = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
    samples.forEach((id, index) => {
      const name = names.get(id) as string;
      // A sample's time is until the next one.
      times.set(name, (times.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0));
    });
  }
  return times;
}

function placeOf(url: string): string {
  return url
    .replace(/^file:\/\//, "")
    .replace(`${process.cwd()}/`, "")
    .replace(/^.*\/node_modules\//, "");
}

/** A package, node's own module, or one of our folders. */
function roomOf(place: string): string {
  if (place.startsWith("node:")) return place.split("/").slice(0, 2).join("/");
  return place
    .split("/")
    .slice(0, place.startsWith("src/") ? 2 : 1)
    .join("/");
}

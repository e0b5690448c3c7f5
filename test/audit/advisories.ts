// What is known against the packages that ship, as the registry has it: npm's own audit. Not every registry, proxy or network lets it be asked.
// It is asked of all packages: npm does not know that some for development are bundled.
import { execFile } from "node:child_process";

export type Advisories = { asked: true; serious: string[]; others: string[] } | { asked: false; reason: string };

/** Of npm run audit:ci. */
export const skipFlag = "--may-skip-advisories";

interface Report {
  message?: string;
  error?: { summary?: string };
  vulnerabilities?: Record<string, { severity: string; nodes: string[]; via: (string | { title?: string; url?: string })[] }>;
}

/** `folder` holds package.json and package-lock.json, `ships` is of shippedPaths. High and critical ones are serious. */
export async function askAdvisories(folder: string, ships: ReadonlySet<string>, registry?: string): Promise<Advisories> {
  const words = ["audit", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
  if (registry !== undefined) words.push(`--registry=${registry}`);
  // It ends with 1 where it found something: what it wrote says what.
  const text = await new Promise<string>((resolve) =>
    execFile("npm", words, { cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout)),
  );
  const report = readReport(text);
  if (report?.vulnerabilities === undefined)
    return { asked: false, reason: report?.message ?? report?.error?.summary ?? "npm said nothing" };
  const ours = Object.entries(report.vulnerabilities).filter(([, { nodes }]) => nodes.some((path) => ships.has(path)));
  const lines = ours.map(([name, { severity, via }]) => {
    const titles = via.map((one) => (typeof one === "string" ? `by ${one}` : `${one.title ?? ""} ${one.url ?? ""}`.trim()));
    return { severity, text: `${name}: ${severity}: ${titles.join("; ")}` };
  });
  const isSerious = ({ severity }: { severity: string }) => severity === "high" || severity === "critical";
  return {
    asked: true,
    serious: lines.filter(isSerious).map(({ text }) => text),
    others: lines.filter((line) => !isSerious(line)).map(({ text }) => text),
  };
}

/** What keeps a change from landing, and what is only said. `maySkip`: a registry that can't be asked is no fault. */
export function judgeAdvisories(found: Advisories, maySkip: boolean): { faults: string[]; notes: string[] } {
  if (found.asked)
    return {
      faults: found.serious,
      notes: [`advisories: ${found.serious.length} serious, ${found.others.length} others`, ...found.others],
    };
  const skipped = `advisories: NOT CHECKED, since the registry can't be asked for them here (${found.reason})`;
  if (maySkip) return { faults: [], notes: [`WARNING: ${skipped}. Run npm run audit:ci where it can`] };
  return { faults: [`${skipped}. npm run audit:ci -- ${skipFlag} lets this pass`], notes: [] };
}

function readReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}

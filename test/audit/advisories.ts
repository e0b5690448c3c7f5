// What is known against the packages that ship, as the registry has it: npm's own audit. Not every registry, proxy or network lets it be asked.
import { execFile } from "node:child_process";

export type Advisories = { asked: true; serious: string[]; others: string[] } | { asked: false; reason: string };

interface Report {
  message?: string;
  error?: { summary?: string };
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string; url?: string })[] }>;
}

/** `folder` holds package.json and package-lock.json. High and critical ones are serious. */
export async function askAdvisories(folder: string, registry?: string): Promise<Advisories> {
  const words = ["audit", "--json", "--omit=dev", "--fetch-retries=0", "--fetch-timeout=20000"];
  if (registry !== undefined) words.push(`--registry=${registry}`);
  // It ends with 1 where it found something: what it wrote says what.
  const text = await new Promise<string>((resolve) =>
    execFile("npm", words, { cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout)),
  );
  const report = readReport(text);
  if (report?.vulnerabilities === undefined)
    return { asked: false, reason: report?.message ?? report?.error?.summary ?? "npm said nothing" };
  const lines = Object.entries(report.vulnerabilities).map(([name, { severity, via }]) => {
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

function readReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}

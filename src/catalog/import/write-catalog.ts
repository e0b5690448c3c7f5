// Writes imported models as a catalog file: YAML with a line a figure, so that two imports can be compared, and above each model its source.
import type { FileModel } from "../file.ts";
import type { ListedModel } from "./price-lists.ts";
import type { Vendor } from "./vendors.ts";

/** The first words of every file that an import wrote; nothing else is overwritten by the next one. */
export const importedMark = "# Imported by `svc catalog import`";

interface Import {
  vendor: string;
  /** The day of the import, YYYY-MM-DD. */
  day: string;
  /** The name of the list. */
  from: string;
  markupPercent: number;
}

function modelOf(listed: ListedModel, vendor: string, { provider }: Vendor): FileModel {
  const { type, contextWindow, outputMax, released, retires, reads, name } = listed;
  return {
    id: `${vendor}/${listed.soldAs ?? listed.id}`,
    type,
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { context_window: contextWindow }),
    ...(outputMax === undefined ? {} : { max_output_tokens: outputMax }),
    ...(listed.tools ? { supports_tools: true } : {}),
    ...(listed.structuredOutputs ? { supports_structured_outputs: true } : {}),
    ...(listed.reasoning ? { supports_reasoning: true } : {}),
    ...(listed.reasoningAlwaysOn ? { reasoning_always_on: true } : {}),
    ...(reads.length === 0 ? {} : { input_modalities: ["text", ...reads] }),
    ...(released === undefined ? {} : { release_date: released }),
    ...(retires === undefined ? {} : { retires_on: retires }),
    routes: [
      { provider: provider.id, model: listed.id, ...(listed.adaptiveThinking ? { thinking: "adaptive" as const } : {}), cost: listed.cost },
    ],
  };
}

export function catalogText(listed: readonly ListedModel[], vendor: Vendor, { vendor: name, day, from, markupPercent }: Import): string {
  const lines = [
    `${importedMark} on ${day} from ${from}: the vendor's prices are the routes' \`cost\`,`,
    "# and what you sell for follows from them by `markup_percent`; a model that names its own `pricing` is sold for that instead.",
    `# The key is read from ${vendor.provider.api_key_env}.`,
    ...(vendor.copied === undefined ? [] : [`# ${vendor.copied}`]),
    `markup_percent: ${markupPercent}`,
    "providers:",
    `  - ${flow(vendor.provider)}`,
    "models:",
  ];
  for (const one of listed) {
    lines.push(`  # ${one.source?.replace(/\s+/g, " ") ?? `by the list, which names no page; the vendor's is ${vendor.pricesAt}`}`);
    const { routes = [], ...row } = modelOf(one, name, vendor);
    Object.entries(row).forEach(([key, value], at) => lines.push(`${at === 0 ? "  - " : "    "}${key}: ${flow(value)}`));
    lines.push("    routes:", ...routes.map((route) => `      - ${flow(route)}`));
  }
  const aliases = Object.entries(vendor.aliases ?? {}).filter(([, id]) => listed.some((one) => (one.soldAs ?? one.id) === id));
  if (aliases.length > 0) lines.push(`aliases: ${flow(Object.fromEntries(aliases.map(([alias, id]) => [alias, `${name}/${id}`])))}`);
  return `${lines.join("\n")}\n`;
}

/** One line of YAML. Words that YAML could take for something else are quoted. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${key}: ${flow(one)}`)
      .join(", ")} }`;
  return typeof value === "string" && !/^[a-z][a-z0-9/_-]*$|^[A-Z][A-Z0-9_]*$/.test(value) ? JSON.stringify(value) : String(value);
}

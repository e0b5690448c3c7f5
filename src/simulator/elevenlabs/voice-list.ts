// GET /v2/voices: the list in pages, with the filters that real callers use.
import { readSteering } from "../header-knobs.ts";
import { jsonReply, type Ask, type Plan } from "../protocol.ts";
import { refuseField, refuseWith } from "./errors.ts";
import { listVoices, type Voice } from "./voices.ts";

const pageSizeUsual = 10;
const pageSizeMax = 100;
/** What `voice_type` says of the operator's own. */
const ownTypes = ["personal", "workspace", "non-default"];

export function planVoices({ query, headers }: Ask): Plan {
  const { model, knobs } = readSteering(headers, "voices", null);
  const size = readPageSize(query.get("page_size"));
  const found = listVoices()
    .filter((voice) => matches(voice, query))
    .slice(0, knobs.voices);
  const first = readToken(query.get("next_page_token"));
  const end = first + size;
  const hasMore = knobs.endlessPages !== undefined || end < found.length;
  const body = {
    voices: found.slice(first, end),
    has_more: hasMore,
    ...(query.get("include_total_count") === "false" ? {} : { total_count: found.length }),
    next_page_token: hasMore ? writeToken(knobs.endlessPages ? 0 : end) : null,
  };
  return { model, knobs, reply: jsonReply(200, JSON.stringify(body)), bytes: 0 };
}

function matches({ category, name, description }: Voice, query: URLSearchParams): boolean {
  const [type, wanted, words] = [query.get("voice_type"), query.get("category"), query.get("search")?.toLowerCase() ?? ""];
  const isOwn = category === "cloned";
  if (type === "default" && isOwn) return false;
  if (type !== null && ownTypes.includes(type) && !isOwn) return false;
  return (wanted === null || wanted === category) && `${name} ${description}`.toLowerCase().includes(words);
}

function readPageSize(sent: string | null): number {
  const size = Number(sent ?? pageSizeUsual);
  if (!Number.isInteger(size) || size < 1 || size > pageSizeMax)
    refuseField("page_size", `Input should be from 1 to ${pageSizeMax}.`, "query");
  return size;
}

function writeToken(first: number): string {
  return Buffer.from(`after:${first}`).toString("base64url");
}

function readToken(token: string | null): number {
  if (token === null || token === "") return 0;
  const match = /^after:(\d{1,6})$/.exec(Buffer.from(token, "base64url").toString());
  return match === null ? refuseWith(400, "invalid_page_token", "The page token is not valid.") : Number(match[1]);
}

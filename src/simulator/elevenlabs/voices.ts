// The voices of ElevenLabs: three thousand of its own and a few that the operator cloned; made up once, always the same.
import { readSteering } from "../directives.ts";
import { type Ask, jsonReply, type Plan } from "../protocol.ts";
import { digest, pick, seededRandom } from "../seed.ts";
import { refuseField, refuseWith } from "./errors.ts";

interface Voice {
  voice_id: string;
  name: string;
  category: "premade" | "cloned";
  labels: Record<string, string>;
  description: string | null;
  preview_url: string | null;
  high_quality_base_model_ids: string[];
}

const systemVoices = 3000;
const clonedNames = ["Our founder", "Support desk", "Radio spot"];
/** The shipped catalog's own. */
const narrator = "lyra-narrator";

const names = (
  "Ada Amara Anton Aria Benno Bruno Cara Celia Dario Delia Edda Elias Emil Farah Felix Fiona Gideon Greta Hanna Hugo Ida Ilan Iris " +
  "Jonas Juno Kaito Karla Lena Leo Lina Luca Maia Malik Mara Milo Nadia Nils Nora Odin Olga Orla Oscar Pia Quinn Rafa Rhea Rosa Ruben " +
  "Sami Selma Silas Stella Tara Theo Tilda Uma Vera Viktor Willa Yara Yusuf Zara Zeno"
).split(" ");
const manners = "Calm,Warm,Bright,Deep,Gentle,Crisp,Husky,Lively,Clear,Soft,Bold,Steady,Wise,Playful,Solemn,Velvet".split(",");
const genders = ["female", "male", "neutral"] as const;
const ages = ["young", "middle_aged", "old"];
const accents = "american,british,australian,irish,indian,african,scottish,german,french,spanish,italian,swedish,polish,japanese".split(
  ",",
);
const useCases =
  "narrative_story,conversational,characters_animation,social_media,entertainment_tv,advertisement,informative_educational".split(",");

let kept: { list: readonly Voice[]; byId: ReadonlyMap<string, Voice> } | undefined;

function listVoices(): readonly Voice[] {
  return keep().list;
}

export function findVoice(id: string): Voice | undefined {
  return keep().byId.get(id);
}

/** Made when they are first asked for: a simulator that never speaks doesn't pay for them. */
function keep(): NonNullable<typeof kept> {
  if (kept !== undefined) return kept;
  const list = [...clonedNames.map(cloneVoice), ...Array.from({ length: systemVoices }, (_, index) => inventVoice(index))];
  return (kept = { list, byId: new Map(list.map((voice) => [voice.voice_id, voice])) });
}

function inventVoice(index: number): Voice {
  const id = index === 0 ? narrator : digest(`voice ${index}`).slice(0, 20);
  const random = seededRandom(id);
  const manner = pick(random, manners);
  const [gender, age, accent, useCase] = [pick(random, genders), pick(random, ages), pick(random, accents), pick(random, useCases)];
  const speaker = `${age.replace("_", "-")} ${accent} voice`;
  return {
    voice_id: id,
    name: index === 0 ? "Lyra, the narrator" : `${pick(random, names)} - ${manner}`,
    category: "premade",
    labels: { gender, age, accent, use_case: useCase, descriptive: manner.toLowerCase(), language: "en" },
    description: `A ${manner.toLowerCase()}, ${speaker} for ${useCase.replaceAll("_", " ")}.`,
    preview_url: `https://previews.voices.example/${id}.mp3`,
    high_quality_base_model_ids: ["eleven_multilingual_v2"],
  };
}

/** Without facets, as they are. */
function cloneVoice(name: string): Voice {
  const id = digest(`clone ${name}`).slice(0, 20);
  return { voice_id: id, name, category: "cloned", labels: {}, description: null, preview_url: null, high_quality_base_model_ids: [] };
}

// GET /v2/voices: the list in pages, with the filters that real callers use.

const pageSizeUsual = 10;
const pageSizeMax = 100;
/** What `voice_type` says of the operator's own. */
const ownTypes = ["personal", "workspace", "non-default"];

export function planVoices({ query, headers }: Ask): Plan {
  const { model, directives } = readSteering(headers, "voices", null);
  const size = readPageSize(query.get("page_size"));
  const found = listVoices()
    .filter((voice) => matches(voice, query))
    .slice(0, directives.voices);
  const first = readToken(query.get("next_page_token"));
  const end = first + size;
  const hasMore = directives.endlessPages !== undefined || end < found.length;
  const body = {
    voices: found.slice(first, end),
    has_more: hasMore,
    ...(query.get("include_total_count") === "false" ? {} : { total_count: found.length }),
    next_page_token: hasMore ? writeToken(directives.endlessPages ? 0 : end) : null,
  };
  return { model, directives, reply: jsonReply(200, JSON.stringify(body)), bytes: 0 };
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

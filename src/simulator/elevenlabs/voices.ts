// The voices of ElevenLabs: three thousand of its own and a few that the operator cloned; made up once, always the same.
import { digest, pick, seededRandom } from "../seed.ts";

export interface Voice {
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

export function listVoices(): readonly Voice[] {
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

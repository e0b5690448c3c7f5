// Made-up log probabilities in the real shape: the token said is the likeliest, all alternatives together stay below 1.
import { seededRandom } from "../seed.ts";

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

export interface ContentLogprob extends TokenLogprob {
  top_logprobs: TokenLogprob[];
}

const alternatives = "The |the |And |and |You |One |Two |Old |New |Red |Sea |Sky |Yes |No |A|B|C|It |Now |For |But |So ".split("|");

/**
 * One entry; `at` and the seed decide its figures, so that a streamed answer carries the same ones as a whole one. The other
 * `labels` that might have been said are its likeliest alternatives.
 */
export function logprobOf(token: string, seed: string, at: number, top: number, labels: readonly string[] = []): ContentLogprob {
  const random = seededRandom(`${seed}:logprob:${at}`);
  // At least one half, so that no alternative can be likelier than what was said.
  let probability = 0.5 + random() * 0.49;
  const said = entry(token, probability);
  const first = labels.filter((label) => label !== token);
  const others = alternatives.filter((other) => other !== token && !labels.includes(other));
  let left = 1 - probability;
  const list = top > 0 ? [said] : [];
  while (list.length < top) {
    probability = left * 0.5;
    left -= probability;
    const from = first.length > 0 ? first : others;
    list.push(entry(from.splice(Math.floor(random() * from.length), 1)[0]!, probability));
  }
  return { ...said, top_logprobs: list };
}

function entry(token: string, probability: number): TokenLogprob {
  return { token, logprob: Math.log(probability), bytes: [...Buffer.from(token)] };
}

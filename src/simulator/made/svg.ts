// A picture as an SVG file: plain shapes in colours of the seed, and the prompt's words as escaped text.
import { seededRandom, wholeBetween } from "../seed.ts";

const shapes = 6;
const wordsShown = 80;

export function makeSvg(width: number, height: number, prompt: string, seed: string): Buffer {
  const random = seededRandom(seed);
  const colour = () => `hsl(${wholeBetween(random, 0, 359)} 60% ${wholeBetween(random, 35, 80)}%)`;
  const circles = Array.from({ length: shapes }, () => {
    const [x, y] = [wholeBetween(random, 0, width), wholeBetween(random, 0, height)];
    return `<circle cx="${x}" cy="${y}" r="${wholeBetween(random, 1, Math.ceil(Math.min(width, height) / 4))}" fill="${colour()}"/>`;
  });
  const ground = `<rect width="${width}" height="${height}" fill="${colour()}"/>`;
  const words = [...prompt].slice(0, wordsShown).join("");
  const text = `<text x="5%" y="95%" font-family="sans-serif" font-size="${Math.ceil(height / 24)}">${escapeText(words)}</text>`;
  const opening = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
  return Buffer.from(`${opening}${ground}${circles.join("")}${text}</svg>\n`);
}

/** Characters that XML forbids even when escaped are left out. */
function escapeText(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>]/g, (sign) => entities[sign]!);
}

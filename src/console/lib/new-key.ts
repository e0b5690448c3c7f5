// Keys that make a request safe to repeat. Not crypto.randomUUID, which pages of plain HTTP don't have.

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Escapes text for HTML; everything that fills a page uses it.

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

/** A sentence of Markdown where no markup can be. */
export function plainText(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("`", "");
}

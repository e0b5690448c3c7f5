// The frame of every HTML page: one look, everything in it escaped by who fills it.

export const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f}" +
  "code,pre{background:#f1f1f4;padding:.1em .3em;border-radius:3px}pre{padding:.8em;overflow-x:auto}pre code{padding:0}" +
  "h2{margin-top:2.5rem}:target{background:#fff6d6}dt{font-weight:600;margin-top:.5rem}dd{margin:0}a{color:#0b57d0}" +
  "button,input{font:inherit;padding:.4em .8em}label{display:block;margin-bottom:.8rem}";

export function page(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head><body><h1>${title}</h1>\n${body}</body></html>\n`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

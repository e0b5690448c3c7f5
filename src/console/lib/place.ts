// Where the console and the gateway are. Imports nothing: the page's first script needs it.

// In a variable, because the build reads `new URL("…", import.meta.url)` as a file to include.
const script = import.meta.url;

/** Where the console is, `/console` unless the gateway is below a path. Scripts are in its folder `assets`. */
export const consolePath = new URL("..", script).pathname.replace(/\/$/, "");

/** The gateway's address. */
export const gatewayUrl = location.origin + consolePath.replace(/\/console$/, "");

const name = "console-workspace";

/** The workspace that this tab acts in, kept for the tab alone; null: the person's own. */
export function keptWorkspace(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null; // a browser that keeps nothing: the own one
  }
}

export function keepForTab(workspace: string | null): void {
  try {
    if (workspace === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, workspace);
  } catch {
    // Then it holds until the page is loaded again.
  }
}

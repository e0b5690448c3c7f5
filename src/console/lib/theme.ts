// Light, dark, or as the system has it. The choice is kept in the browser; it is no secret.

export type Theme = "system" | "light" | "dark";
const name = "console-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(name);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(name, theme);
  } catch {
    // Then it holds until the page is loaded again.
  }
  show(theme);
}

export function applyTheme(): void {
  show(chosenTheme());
  system.addEventListener("change", () => show(chosenTheme()));
}

function show(theme: Theme): void {
  document.documentElement.classList.toggle("dark", theme === "dark" || (theme === "system" && system.matches));
}

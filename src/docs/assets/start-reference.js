// Starts Scalar on /docs/api, so that it asks no other host than this gateway: no fonts, no telemetry, no agent, no hosted client.
"use strict";
const place = document.getElementById("reference");
// What stands there is for readers without scripts; Scalar would take it for its own.
place.replaceChildren();
// The theme and the language that the reader chose on the other pages.
const { theme } = document.documentElement.dataset;
const clients = { TypeScript: ["js", "fetch"], Python: ["python", "requests"] };
const language = (() => {
  try {
    return window.localStorage.getItem("docs-language")?.split(" ")[0];
  } catch {
    return undefined;
  }
})();
const [targetKey, clientKey] = clients[language] ?? ["shell", "curl"];
document.addEventListener("theme", () => {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen === undefined ? window.matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  document.body.classList.toggle("dark-mode", isDark);
  document.body.classList.toggle("light-mode", !isDark);
});
window.Scalar.createApiReference(place, {
  url: place.dataset.document,
  // Where this page came from is the gateway; a page in a file has it from the document.
  ...("gateway" in place.dataset && { servers: [{ url: new URL(place.dataset.gateway, window.location).href.replace(/\/$/, "") }] }),
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  hideDarkModeToggle: true,
  hideSearch: true, // the bar has one, over guides and errors too
  hideModels: true, // each operation shows its own
  theme: "none",
  documentDownloadType: "none", // both documents have links of their own
  ...(theme !== undefined && { forceDarkModeState: theme }),
  defaultHttpClient: { targetKey, clientKey },
  metaData: { title: document.title },
  authentication: { preferredSecurityScheme: "ApiKey" },
});

// Starts Scalar on /docs/api, so that it asks nobody but this gateway: no fonts, no telemetry, no agent, no hosted client.
"use strict";
const order = ["Language", "Images", "Video", "Audio", "Catalog", "Account"];
window.Scalar.createApiReference("#reference", {
  url: document.getElementById("reference").dataset.document,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  hideDarkModeToggle: true,
  theme: "none",
  tagsSorter: (a, b) => order.indexOf(a.name) - order.indexOf(b.name),
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  metaData: { title: document.title },
  authentication: { preferredSecurityScheme: "ApiKey" },
});

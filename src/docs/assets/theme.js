// The theme that the reader chose, before anything is shown; without a choice the reader's system decides. This
// gateway's console keeps its choice under the same name: one holds for both.
"use strict";
try {
  const theme = window.localStorage.getItem("console-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage, no choice.
}

// The console: theme, what pages share, the router.
import "./lib/shared.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./lib/queries.ts";
import { onBack } from "./lib/reach.ts";
import { applyTheme } from "./lib/theme.ts";
import { applyWorkspace } from "./lib/workspace.ts";
import { router } from "./router.tsx";
import { Announcements } from "./ui/announce.tsx";
import { loadPopups } from "./ui/later.ts";

applyTheme();
applyWorkspace();
onBack(() => void queries.invalidateQueries());
createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Announcements />
    </QueryClientProvider>
  </StrictMode>,
);
// Once the first page is drawn.
setTimeout(() => void loadPopups(), 2_000);

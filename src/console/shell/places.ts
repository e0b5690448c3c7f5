// The places of the console: the menu and the palette list them.
import type { IconName } from "../ui/icons.tsx";

export interface Place {
  to: string;
  label: string;
  icon: IconName;
}

export const places: readonly Place[] = [
  { to: "/", label: "Home", icon: "home" },
  { to: "/keys", label: "API keys", icon: "key" },
  { to: "/usage", label: "Usage", icon: "chart" },
  { to: "/logs", label: "Logs", icon: "list" },
  { to: "/credit", label: "Credit", icon: "wallet" },
  { to: "/models", label: "Models", icon: "cube" },
  { to: "/playground", label: "Playground", icon: "play" },
  { to: "/limits", label: "Limits", icon: "gauge" },
  { to: "/members", label: "Members", icon: "people" },
  { to: "/settings", label: "Settings", icon: "cog" },
];

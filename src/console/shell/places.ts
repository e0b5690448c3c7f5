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
];

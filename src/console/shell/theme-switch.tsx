// Chooses light, dark or the system's theme.
import { type ReactNode, useState } from "react";
import { chooseTheme, chosenTheme, type Theme } from "../lib/theme.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";

const themes: readonly (readonly [Theme, string, IconName])[] = [
  ["system", "System", "screen"],
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
];

export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme);
  const icon = themes.find(([name]) => name === theme)?.[2] ?? "screen";
  return (
    <Menu label="Theme" trigger={<Icon name={icon} />}>
      {themes.map(([name, label, shape]) => (
        <MenuItem key={name} onSelect={() => (chooseTheme(name), setTheme(name))}>
          <Icon name={shape} /> {label} {name === theme && <Icon name="check" />}
        </MenuItem>
      ))}
    </Menu>
  );
}

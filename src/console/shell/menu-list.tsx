// The menu at the side: the places, and what leads out of the console.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { gatewayUrl } from "../lib/api.ts";
import { Icon } from "../ui/icons.tsx";
import { type Place, places } from "./places.ts";

const item = "flex min-h-9 items-center gap-3 rounded-lg px-3 text-sm";

export function MenuList({ onChoose, list = places }: { onChoose?: () => void; list?: readonly Place[] }): ReactNode {
  return (
    <nav aria-label="Console" className="flex flex-1 flex-col gap-0.5">
      {list.map(({ to, label, icon }) => (
        <Link
          key={to}
          to={to}
          onClick={onChoose}
          activeOptions={{ exact: to === "/" || to === "/operator", includeSearch: false }}
          className={item}
          activeProps={{ className: "bg-accent-soft font-medium text-accent" }}
          inactiveProps={{ className: "text-quiet hover:bg-sunken hover:text-text" }}
        >
          <Icon name={icon} size={17} /> {label}
        </Link>
      ))}
      <a href={`${gatewayUrl}/docs`} className={`${item} mt-auto text-quiet hover:bg-sunken hover:text-text`}>
        <Icon name="book" size={17} /> Documentation
      </a>
    </nav>
  );
}

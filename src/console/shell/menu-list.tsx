// The menu at the side: the places, and what leads out of the console. An operator's pages have a menu of their own.
import { Link, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { gatewayUrl } from "../lib/place.ts";
import { Icon } from "../ui/icons.tsx";
import { useOperatorPlaces } from "./operator-places.ts";
import { type Place, places } from "./places.ts";

const item = "flex min-h-9 items-center gap-3 rounded-lg px-3 text-sm";
const quietItem = `${item} text-quiet hover:bg-sunken hover:text-text`;

export function MenuList({ onChoose }: { onChoose?: () => void }): ReactNode {
  const operated = useOperatorPlaces();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const operating = operated.length > 0 && /^\/operator(?:\/|$)/.test(path);
  const first = operating ? places[0] : operated[0];
  return (
    <nav aria-label={operating ? "Operator" : "Console"} className="flex flex-1 flex-col gap-0.5 overflow-y-auto">
      {operating && <p className="px-3 pb-1 text-xs font-semibold tracking-wide text-quiet uppercase">Operator</p>}
      {(operating ? operated : places).map((place) => (
        <PlaceLink key={place.to} place={place} onChoose={onChoose} />
      ))}
      {first !== undefined && (
        <Link to={first.to} onClick={onChoose} className={`${quietItem} mt-auto`}>
          <Icon name={operating ? "home" : "shield"} size={17} /> {operating ? "Your account" : "Operator"}
        </Link>
      )}
      <a href={`${gatewayUrl}/docs`} className={`${quietItem} ${first === undefined ? "mt-auto" : ""}`}>
        <Icon name="book" size={17} /> Documentation
      </a>
    </nav>
  );
}

function PlaceLink({ place: { to, label, icon }, onChoose }: { place: Place; onChoose: (() => void) | undefined }): ReactNode {
  return (
    <Link
      to={to}
      onClick={onChoose}
      activeOptions={{ exact: to === "/" || to === "/operator", includeSearch: false }}
      className={item}
      activeProps={{ className: "bg-accent-soft font-medium text-accent" }}
      inactiveProps={{ className: "text-quiet hover:bg-sunken hover:text-text" }}
    >
      <Icon name={icon} size={17} /> {label}
    </Link>
  );
}

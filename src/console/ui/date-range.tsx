// The date range: presets and days chosen by hand, behind a button that says what is chosen.
import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useState } from "react";
import { type Preset, presets, presetsWithin, rangeName, type RangeSearch } from "../lib/range.ts";
import { zoneName } from "../lib/time.ts";
import { buttonClass } from "./button.tsx";
import { Field } from "./field.tsx";
import { Icon } from "./icons.tsx";

interface DateRangeProps {
  search: RangeSearch;
  /** What no choice means, in words. */
  empty: string;
  /** The most days that may be asked for, where that is less than any. */
  mostDays?: number;
  /** A word that is empty leaves the address. */
  set: (changed: Record<keyof RangeSearch, string>) => void;
}

export function DateRange({ search, empty, mostDays = Infinity, set }: DateRangeProps): ReactNode {
  const [open, setOpen] = useState(false);
  const name = rangeName(search, empty);
  const choose = (range: Preset | "") => (set({ range, from: "", to: "" }), setOpen(false));
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger aria-label={`Date range: ${name}`} className={buttonClass()}>
        <Icon name="calendar" /> {name} <Icon name="down" size={14} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" collisionPadding={12} className="z-30">
          <Popover.Popup
            aria-label="Date range"
            className="w-[min(20rem,calc(100vw-1.5rem))] space-y-3 rounded-lg border border-line bg-panel p-3 shadow-high"
          >
            <div className="grid grid-cols-2 gap-1">
              {presetsWithin(mostDays).map(([range, label]) => (
                <button
                  key={range}
                  type="button"
                  aria-pressed={name === label}
                  onClick={() => choose(range)}
                  className={`rounded-md px-2.5 py-2 text-left ${name === label ? "bg-accent-soft text-accent" : "hover:bg-sunken"}`}
                >
                  {label}
                </button>
              ))}
              {!Object.values<string>(presets).includes(empty) && (
                <button type="button" onClick={() => choose("")} className="rounded-md px-2.5 py-2 text-left hover:bg-sunken">
                  {empty}
                </button>
              )}
            </div>
            <div className="grid grid-cols-2 gap-2 border-t border-line pt-3">
              <Field
                label="From"
                type="date"
                value={search.from ?? ""}
                max={search.to}
                onChange={(event) => set({ range: "", from: event.target.value, to: search.to ?? "" })}
              />
              <Field
                label="To"
                type="date"
                value={search.to ?? ""}
                min={search.from}
                onChange={(event) => set({ range: "", from: search.from ?? "", to: event.target.value })}
              />
            </div>
            <p className="text-xs text-quiet">
              Days in your zone, {zoneName}.{mostDays === Infinity ? "" : ` At most ${mostDays === 1 ? "one day" : `${mostDays} days`}.`}
            </p>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

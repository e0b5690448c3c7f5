// What no page needs to be drawn, and so is loaded after it: dialogs and menus.
import { useEffect, useState } from "react";

type Popups = typeof import("./popups.tsx");
let popups: Popups | undefined;

/** Where the file can't be had, the page says that the gateway is away (reach.ts); the next opening asks for it again. */
export async function loadPopups(): Promise<Popups | undefined> {
  return import("./popups.tsx").then(
    (loaded) => (popups = loaded),
    () => undefined,
  );
}

/** Undefined until they are there; `wanted` does not wait for the page. */
export function usePopups(wanted: boolean): Popups | undefined {
  const [, setLoaded] = useState(popups);
  useEffect(() => {
    if (wanted && popups === undefined) void loadPopups().then(setLoaded);
  }, [wanted]);
  return popups;
}

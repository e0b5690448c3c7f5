// Who is signed in, and signing out.
import { useQuery } from "@tanstack/react-query";
import { signOut } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api, change } from "../lib/api.ts";
import { consolePath } from "../lib/place.ts";
import { isSignedOut, sessionQuery } from "../lib/queries.ts";
import { keepWorkspace } from "../lib/workspace.ts";
import { announce } from "../ui/announce.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";

export function AccountMenu(): ReactNode {
  const { data } = useQuery(sessionQuery);
  const email = data?.user.email ?? "";
  const leave = async () => {
    try {
      await change(() => signOut(api));
    } catch (error) {
      if (!isSignedOut(error)) return announce("Signing out failed: the gateway did not answer. Try again.");
    }
    keepWorkspace(null);
    // A new page: nothing that this person read or wrote is left in its memory.
    location.assign(`${consolePath}/sign-in`);
  };
  return (
    <Menu
      trigger={
        <>
          <span
            aria-hidden="true"
            className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
          >
            {email.slice(0, 1)}
          </span>
          <span className="sr-only">Account: </span>
          <span className="max-w-48 truncate max-md:sr-only">{email}</span>
        </>
      }
    >
      <div className="max-w-64 border-b border-line px-3 py-2">
        <p className="truncate font-medium">{data?.user.name ?? email}</p>
        <p className="truncate text-xs text-quiet">{email}</p>
      </div>
      <MenuItem onSelect={() => void leave()}>
        <Icon name="out" /> Sign out
      </MenuItem>
    </Menu>
  );
}

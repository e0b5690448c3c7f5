// The frame of the pages that need no session: the form in the middle.
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { gatewayUrl } from "../lib/place.ts";
import { NoticeBanner } from "./banners.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { Mark } from "./mark.tsx";

export function PublicFrame(): ReactNode {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center justify-between px-5 py-4">
        <Mark />
        <div className="flex items-center gap-1">
          <a className="rounded-lg px-2.5 py-2 text-quiet hover:bg-sunken hover:text-text" href={`${gatewayUrl}/docs`}>
            Documentation
          </a>
          <ThemeSwitch />
        </div>
      </header>
      <NoticeBanner />
      <main className="flex flex-1 items-start justify-center px-4 pt-[8vh] pb-16">
        <div className="w-full max-w-sm">
          <Outlet />
        </div>
      </main>
    </div>
  );
}

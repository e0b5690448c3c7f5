// The frame of the pages behind a session: menu at the side (on a phone behind a button), bar at the top, the page.
import { Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { NoticeBanner, UnavailableBanner } from "./banners.tsx";
import { Mark } from "./mark.tsx";
import { MenuList } from "./menu-list.tsx";
import { Palette } from "./palette.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function Frame(): ReactNode {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  usePaletteKey(() => setPalette(true));
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-lg focus:bg-panel focus:p-3"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-5 border-r border-line bg-panel p-4 lg:flex">
        <div className="px-2 pt-1">
          <Mark />
        </div>
        <WorkspaceSwitch />
        <MenuList />
      </aside>
      <div className="min-w-0">
        <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-panel/95 px-3 backdrop-blur sm:px-6">
          <IconButton label="Menu" className="lg:hidden" aria-expanded={menu} onClick={() => setMenu(!menu)}>
            <Icon name={menu ? "close" : "menu"} size={20} />
          </IconButton>
          <button
            type="button"
            onClick={() => setPalette(true)}
            className="flex min-h-9 items-center gap-2 rounded-lg border border-line px-3 text-quiet hover:bg-sunken sm:min-w-64"
          >
            <Icon name="search" />
            <span>Go to…</span>
            <kbd className="ml-auto hidden rounded border border-line px-1.5 font-mono text-xs sm:inline">/</kbd>
          </button>
          <div className="ml-auto flex items-center gap-1">
            <ThemeSwitch />
            <AccountMenu />
          </div>
        </header>
        {menu && (
          <div className="border-b border-line bg-panel p-3 lg:hidden">
            <WorkspaceSwitch />
            <MenuList onChoose={() => setMenu(false)} />
          </div>
        )}
        <UnavailableBanner />
        <NoticeBanner />
        <Content />
      </div>
      <Palette open={palette} onClose={() => setPalette(false)} />
    </div>
  );
}

/** Focus follows the page, so that a reader of the page hears where it is. */
function Content(): ReactNode {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  return (
    <main id="content" ref={main} tabIndex={-1} className="px-4 py-6 outline-none sm:px-8 sm:py-8">
      <Outlet />
    </main>
  );
}

function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const types = target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
      const wanted =
        (event.key === "/" && !types && !event.ctrlKey && !event.metaKey) || (event.key === "k" && (event.metaKey || event.ctrlKey));
      if (!wanted || document.querySelector('[role="dialog"],[role="alertdialog"]') !== null) return;
      event.preventDefault();
      open();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}

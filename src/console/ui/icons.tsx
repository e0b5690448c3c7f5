// The icons, as strokes of a 24 by 24 field. They stand beside a text or in a named button, and are hidden from readers of the page.
import type { ReactNode } from "react";

const shapes = {
  home: "M3 11l9-8 9 8M5 9.5V21h5v-6h4v6h5V9.5",
  key: "M14.5 9.5a4 4 0 1 0-3.2 3.9L13 15h2v2h2v2h3v-3l-5.6-5.6M9 8h.01",
  chart: "M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3M20 16V6",
  list: "M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01",
  wallet: "M3 7a2 2 0 0 1 2-2h12v4M3 7v10a2 2 0 0 0 2 2h14a1 1 0 0 0 1-1V10a1 1 0 0 0-1-1H5a2 2 0 0 1-2-2zM16 14h.01",
  gift: "M3 8h18v4H3zM5 12h14v9H5zM12 8v13M12 8c-2-5-7-4-6-1 .4 1 3 1 6 1zM12 8c2-5 7-4 6-1-.4 1-3 1-6 1z",
  cube: "M12 2l9 5v10l-9 5-9-5V7zM3 7l9 5 9-5M12 12v10",
  play: "M6 4l14 8-14 8z",
  gauge: "M12 14l4-5M4.5 18a9 9 0 1 1 15 0",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21a7 7 0 0 1 14 0M16 3.3a4 4 0 0 1 0 7.4M18 14.5a7 7 0 0 1 4 6.5",
  cog: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 12a7 7 0 0 0-.1-1.3l2-1.5-2-3.4-2.3 1a7 7 0 0 0-2.3-1.3L14 3h-4l-.4 2.5a7 7 0 0 0-2.2 1.3l-2.3-1-2 3.4 2 1.5a7 7 0 0 0 0 2.6l-2 1.5 2 3.4 2.3-1a7 7 0 0 0 2.2 1.3L10 21h4l.4-2.5a7 7 0 0 0 2.2-1.3l2.3 1 2-3.4-2-1.5c.1-.4.1-.9.1-1.3z",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM21 21l-5-5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  more: "M4.2 12a.8.8 0 1 0 1.6 0a.8.8 0 1 0-1.6 0M11.2 12a.8.8 0 1 0 1.6 0a.8.8 0 1 0-1.6 0M18.2 12a.8.8 0 1 0 1.6 0a.8.8 0 1 0-1.6 0",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  screen: "M3 4h18v12H3zM8 20h8M12 16v4",
  plus: "M12 5v14M5 12h14",
  alert: "M12 9v4M12 17h.01M10.3 3.9L2 18.5A2 2 0 0 0 3.7 21.500h16.600a2 2 0 0 0 1.700-3L13.700 3.900a2 2 0 0 0-3.400 0z",
  book: "M4 5a2 2 0 0 1 2-2h14v15H6a2 2 0 0 0-2 2zM4 20a2 2 0 0 0 2 2h14v-4",
  right: "M9 6l6 6-6 6",
  down: "M6 9l6 6 6-6",
  out: "M9 4H4v16h5M14 8l4 4-4 4M18 12H9",
  shield: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z",
  refresh: "M20 11a8 8 0 1 0-.6 4M20 4v7h-7",
  calendar: "M4 5h16v16H4zM4 10h16M8 3v4M16 3v4",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  send: "M4 12l16-8-6 16-3-7z",
  stop: "M6 6h12v12H6z",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  share:
    "M18 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.600 10.500l6.800-4M8.600 13.500l6.800 4",
  server: "M4 4h16v7H4zM4 13h16v7H4zM8 7.500h.01M8 16.500h.01",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

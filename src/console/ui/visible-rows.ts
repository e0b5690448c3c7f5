// Which rows of a long table are in the page: those near what is seen. Room above and below stands for the others, so that the table scrolls
// as if all were there.
import { type RefObject, useEffect, useState } from "react";

/** So many are all in the page. */
const few = 150;
/** Beyond what is seen, at both ends. */
const spare = 30;
/** By so many at once, since rows that are not equally high move what is below them. */
const step = 20;

interface Visible {
  from: number;
  to: number;
  /** Of a row, in pixels, on average. */
  height: number;
}

export function useVisibleRows(count: number, body: RefObject<HTMLTableSectionElement | null>): Visible {
  const [visible, setVisible] = useState<Visible>({ from: 0, to: few, height: 0 });
  useEffect(() => {
    if (count <= few) return;
    let height = 0;
    let waiting = 0;
    const look = () => {
      waiting = 0;
      const rows = body.current?.querySelectorAll<HTMLElement>("tr[aria-rowindex]") ?? [];
      const [first, last] = [rows[0], rows[rows.length - 1]];
      if (body.current === null || first === undefined || last === undefined) return;
      // Once: what is measured anew while it moves would never come to rest.
      if (height === 0) height = (last.getBoundingClientRect().bottom - first.getBoundingClientRect().top) / rows.length;
      if (height === 0) return;
      const { top } = body.current.getBoundingClientRect();
      const seen = Math.max(Math.floor(-top / height) - spare, 0);
      const from = Math.min(seen - (seen % step), Math.max(count - few, 0));
      const to = Math.min(from + Math.max(Math.ceil(window.innerHeight / height) + 2 * spare + step, few), count);
      setVisible((now) => (now.from === from && now.to === to && now.height === height ? now : { from, to, height }));
    };
    const lookSoon = () => {
      if (waiting === 0) waiting = requestAnimationFrame(look);
    };
    const measure = () => ((height = 0), lookSoon());
    look();
    // Also of what scrolls within the page: such events don't bubble.
    window.addEventListener("scroll", lookSoon, { capture: true, passive: true });
    window.addEventListener("resize", measure);
    return () => {
      cancelAnimationFrame(waiting);
      window.removeEventListener("scroll", lookSoon, { capture: true });
      window.removeEventListener("resize", measure);
    };
  }, [count, body]);
  // A list that has become shorter is seen from its own end.
  const from = Math.min(visible.from, Math.max(count - few, 0));
  return { from, to: Math.min(Math.max(visible.to, from + few), count), height: visible.height };
}

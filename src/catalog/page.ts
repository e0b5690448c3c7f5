// One page of a list of models, by the ids beside which it begins or ends: how Anthropic's clients read the list.
import { failParameter } from "../errors/fail.ts";

export interface Page {
  /** Most rows; null: all. */
  limit: number | null;
  /** The row before the page; null: none. */
  after: string | null;
  /** The row after it, from which it then goes backwards; null: none. */
  before: string | null;
}

/** `more`: whether others follow in the direction of the page. Throws invalid_parameter for an id that is not in the list. */
export function pageOf<Row extends { id: string }>(rows: readonly Row[], { limit, after, before }: Page): { rows: Row[]; more: boolean } {
  const from = after === null ? 0 : placeOf(rows, after, "after_id") + 1;
  const to = before === null ? rows.length : placeOf(rows, before, "before_id");
  const left = rows.slice(from, to);
  if (limit === null) return { rows: left, more: false };
  return { rows: before === null ? left.slice(0, limit) : left.slice(-limit), more: left.length > limit };
}

/** A model may have left the catalog since the last page: to begin again unasked would show the others twice. */
function placeOf(rows: readonly { id: string }[], id: string, param: string): number {
  const at = rows.findIndex((row) => row.id === id);
  return at === -1 ? failParameter(param, "the list holds no model of this id") : at;
}

// The columns of tables that say what requests brought in and cost.
import { count, none, usd } from "../../lib/money.ts";
import type { Column } from "../../ui/table.tsx";
import type { Earnings } from "../usage.ts";

export const earningsColumns: readonly Column<Earnings>[] = [
  { name: "Requests", right: true, cell: ({ requests }) => count(requests) },
  { name: "Errors", right: true, cell: ({ errors }) => count(errors) },
  { name: "Error rate", right: true, cell: ({ requests, errors }) => (requests === 0 ? none : `${((errors / requests) * 100).toFixed(1)} %`) }, // prettier-ignore
  { name: "Charged", right: true, cell: ({ charged }) => usd(charged) },
  { name: "Provider's cost", right: true, cell: ({ cost }) => usd(cost) },
  { name: "Margin", right: true, cell: ({ margin }) => usd(margin) },
  { name: "Cost unknown", right: true, cell: ({ unmatched }) => (unmatched === 0 ? none : usd(unmatched)) },
];

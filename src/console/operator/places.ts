// The operator's places: their menu and the palette list them.
import type { Place } from "../shell/places.ts";

export const operatorPlaces: readonly Place[] = [
  { to: "/operator", label: "Overview", icon: "chart" },
  { to: "/operator/accounts", label: "Accounts", icon: "people" },
  { to: "/operator/requests", label: "Requests", icon: "list" },
  { to: "/operator/providers", label: "Providers", icon: "server" },
  { to: "/operator/catalog", label: "Catalog", icon: "cube" },
  { to: "/operator/jobs", label: "Jobs", icon: "play" },
  { to: "/operator/vouchers", label: "Vouchers", icon: "gift" },
  { to: "/operator/ledger", label: "Ledger", icon: "wallet" },
  { to: "/operator/audit", label: "Audit log", icon: "book" },
  { to: "/operator/operators", label: "Operators", icon: "shield" },
  { to: "/operator/settings", label: "Settings", icon: "cog" },
];

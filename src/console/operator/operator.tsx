// The operator's pages: which one stands at which address below /operator. Each is a chunk of its own.
import { lazyRouteComponent } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { NothingHere, Waiting } from "../shell/faults.tsx";
import { useAddress } from "./address.tsx";

const pages = {
  "": lazyRouteComponent(() => import("./overview/overview.tsx"), "Overview"),
  accounts: lazyRouteComponent(() => import("./accounts/accounts.tsx"), "Accounts"),
  "accounts/*": lazyRouteComponent(() => import("./accounts/account.tsx"), "Account"),
  requests: lazyRouteComponent(() => import("./requests/requests.tsx"), "Requests"),
  providers: lazyRouteComponent(() => import("./providers/providers.tsx"), "Providers"),
  catalog: lazyRouteComponent(() => import("./catalog/catalog.tsx"), "Catalog"),
  jobs: lazyRouteComponent(() => import("./jobs/jobs.tsx"), "Jobs"),
  vouchers: lazyRouteComponent(() => import("./vouchers/vouchers.tsx"), "Vouchers"),
  ledger: lazyRouteComponent(() => import("./ledger/ledger.tsx"), "Ledger"),
  audit: lazyRouteComponent(() => import("./audit/audit.tsx"), "AuditLog"),
  settings: lazyRouteComponent(() => import("./settings/settings.tsx"), "Settings"),
  operators: lazyRouteComponent(() => import("./operators/operators.tsx"), "Operators"),
};

export function Operator(): ReactNode {
  const { path } = useAddress();
  const [place = "", ...rest] = path.split("/");
  const name = rest.length === 0 ? place : `${place}/*`;
  const Shown = name in pages && rest.length < 2 ? pages[name as keyof typeof pages] : NothingHere;
  return (
    <Suspense fallback={<Waiting />}>
      <Shown key={path} />
    </Suspense>
  );
}

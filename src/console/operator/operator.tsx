// The operator's pages: which one stands at which address below /operator. Each is a chunk of its own.
import { type ReactNode, Suspense } from "react";
import { lazyPage, NothingHere, Waiting } from "../shell/faults.tsx";
import { useAddress } from "./address.tsx";

const pages = {
  "": lazyPage(() => import("./overview/overview.tsx"), "Overview"),
  accounts: lazyPage(() => import("./accounts/accounts.tsx"), "Accounts"),
  "accounts/*": lazyPage(() => import("./accounts/account.tsx"), "Account"),
  requests: lazyPage(() => import("./requests/requests.tsx"), "Requests"),
  providers: lazyPage(() => import("./providers/providers.tsx"), "Providers"),
  catalog: lazyPage(() => import("./catalog/catalog.tsx"), "Catalog"),
  jobs: lazyPage(() => import("./jobs/jobs.tsx"), "Jobs"),
  vouchers: lazyPage(() => import("./vouchers/vouchers.tsx"), "Vouchers"),
  ledger: lazyPage(() => import("./ledger/ledger.tsx"), "Ledger"),
  audit: lazyPage(() => import("./audit/audit.tsx"), "AuditLog"),
  settings: lazyPage(() => import("./settings/settings.tsx"), "Settings"),
  operators: lazyPage(() => import("./operators/operators.tsx"), "Operators"),
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

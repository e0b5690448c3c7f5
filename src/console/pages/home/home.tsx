// Home: what is left, what was spent, what was called, and what to do next.
import type { ReactNode } from "react";
import { useMay } from "../../lib/rights.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/parts.tsx";
import { Balance } from "./balance.tsx";
import { Recent } from "./recent.tsx";
import { Spend } from "./spend.tsx";

export function Home(): ReactNode {
  const mayCreate = useMay("keys") !== false;
  return (
    <Page
      title="Home"
      actions={
        mayCreate && (
          <ButtonLink kind="primary" to="/keys" search={{ create: "1" }}>
            Create key
          </ButtonLink>
        )
      }
    >
      <div className="grid gap-6 lg:grid-cols-3">
        <Balance />
        <Spend />
      </div>
      <Recent />
    </Page>
  );
}

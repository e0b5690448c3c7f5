// The console's mark, as the documentation has it.
import type { ReactNode } from "react";
import icon from "../icon.svg";
import { serviceLogo, serviceName } from "../lib/service.ts";

export function Mark(): ReactNode {
  return (
    <span className="flex min-w-0 items-center gap-2.5 text-[0.9375rem] font-semibold tracking-tight">
      <img src={serviceLogo ?? icon} alt="" width={26} height={26} className="shrink-0 object-contain" />
      <span className="truncate">{serviceName ?? "Gateway"}</span>
    </span>
  );
}

// The console's mark, as the documentation has it.
import type { ReactNode } from "react";
import icon from "../icon.svg";

export function Mark(): ReactNode {
  return (
    <span className="flex items-center gap-2.5 text-[0.9375rem] font-semibold tracking-tight">
      <img src={icon} alt="" width={26} height={26} />
      Gateway
    </span>
  );
}

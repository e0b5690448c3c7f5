// Ending a voucher, or what is left of a batch.
import { endVoucher, endVoucherBatch } from "svc-sdk/operator";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { ChangeDialog } from "../change-dialog.tsx";

export type Ending = { id: string } | { batch: number };

export function EndVouchers({ ending, onClose }: { ending: Ending | null; onClose: () => void }): ReactNode {
  if (ending === null) return null;
  return "id" in ending ? <EndOne id={ending.id} onClose={onClose} /> : <EndBatch batch={ending.batch} onClose={onClose} />;
}

function EndOne({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  return (
    <ChangeDialog
      action="End voucher"
      open
      onClose={onClose}
      make={async (reason) => (await endVoucher(api, id, { reason }), "The voucher can no longer be redeemed.")}
    >
      <p>
        <span className="font-mono text-xs break-all">{id}</span> can no longer be redeemed.
      </p>
    </ChangeDialog>
  );
}

function EndBatch({ batch, onClose }: { batch: number; onClose: () => void }): ReactNode {
  const make = async (reason: string) => {
    const { count, redeemed } = await endVoucherBatch(api, String(batch), { reason });
    return `Batch ${batch} has ended: ${redeemed} of ${count} were redeemed.`;
  };
  return (
    <ChangeDialog action="End batch" open onClose={onClose} make={make}>
      <p>The vouchers of batch {batch} can no longer be redeemed. Credit that was redeemed stays with its workspace.</p>
    </ChangeDialog>
  );
}

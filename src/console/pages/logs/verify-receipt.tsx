// Proves the receipt in the browser: the signature against the gateway's published keys, and the entries against the ledger's chain. The
// keys are no operation of the API, so their file is read without the SDK.
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeySet } from "svc-sdk";
import { getReceiptProof, SvcError, verifyReceipt } from "svc-sdk/functions";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { gatewayUrl } from "../../lib/place.ts";
import { when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Facts } from "../../ui/parts.tsx";

export function VerifyReceipt({ id }: { id: string }): ReactNode {
  const verify = useMutation({
    mutationFn: async () => {
      const [proof, keys] = await Promise.all([getReceiptProof(api, id, { chain: true }), readKeySet()]);
      return verifyReceipt(proof, keys);
    },
  });
  const { data, error } = verify;
  return (
    <div className="space-y-3">
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        Verify receipt
      </Button>
      {SvcError.is(error) && <ErrorNote error={error} />}
      {error !== null && !SvcError.is(error) && (
        <p role="alert" className="rounded-lg border border-bad/40 bg-bad-soft p-4 break-words">
          The receipt is not valid: {error.message}
        </p>
      )}
      {data !== undefined && (
        <div role="status" className="space-y-3 rounded-lg border border-good/40 bg-good-soft p-4">
          <p className="font-medium text-good">The receipt is genuine and unchanged.</p>
          <Facts
            rows={[
              ["Signed by", data.issuer],
              ["Signed on", when(new Date(data.signedAt * 1000).toISOString())],
              ["Key", data.keyId],
              ["Cost", usd(data.costUsd)],
              ["Chain checked to", data.chainedTo ?? "No chain: nothing was charged"],
            ]}
          />
        </div>
      )}
    </div>
  );
}

async function readKeySet(): Promise<KeySet> {
  const reply = await window.fetch(`${gatewayUrl}/.well-known/jwks.json`);
  if (!reply.ok) throw new Error("the gateway's keys could not be read.");
  return (await reply.json()) as KeySet;
}

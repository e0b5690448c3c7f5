// The reason to abort calls whose clients are still connected: this process has to stop. Their streams count as interrupted, and nothing of
// them is charged (docs/behaviour/billing.md#ends).

export class GatewayStopping extends Error {
  constructor() {
    super("the gateway is stopping");
  }
}

/** Whether the client disconnected, rather than the gateway having to stop. */
export function isDisconnected(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof GatewayStopping);
}

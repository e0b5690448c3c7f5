// Why a call is given up although its client is still there: this process has to end. Not the client's doing, so its
// stream is one that broke, and nothing of it is charged (OPERATOR.md "The rest that is fixed").

export class GatewayStopping extends Error {
  constructor() {
    super("the gateway is stopping");
  }
}

/** The client left; not so where the gateway itself has to stop. */
export function isLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof GatewayStopping);
}

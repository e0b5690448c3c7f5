// What ends the upstream call of a paid call: its caller's disconnect, and the gateway's stop, before and after it.
import { expect, test } from "vitest";
import { type Ask, GatewayStopping } from "../../src/calls/ask.ts";
import { callUpstream, type Connected } from "../../src/calls/upstream-connection.ts";
import type { UpstreamCall } from "../../src/providers/types.ts";
import type { Candidate } from "../../src/routing/candidates.ts";

/** A call whose upstream has the request; `stops`: whether it is to stop when the caller disconnects. */
function openCall(stops: boolean) {
  const [caller, stopper] = [new AbortController(), new AbortController()];
  const asked = { made: 0 };
  const stopping = () => {
    asked.made += 1;
    return stopper.signal;
  };
  const ask = { signal: caller.signal, stopping, requestId: "req_test", caller: { accountId: 1n } } as unknown as Ask;
  const call = { ask, admitted: { model: { id: "m" } }, attempts: [], connection: null } as unknown as Connected;
  let upstream!: UpstreamCall;
  const work = (given: UpstreamCall) => {
    upstream = given;
    given.disconnect!.onSent();
    return new Promise<never>(() => undefined);
  };
  void callUpstream(call, { route: {} } as Candidate, { heard: undefined!, stops: () => stops, work });
  const state = () => ({ ended: upstream.signal.aborted, stopped: upstream.disconnect!.stopUpstream.aborted });
  const disconnect = () => caller.abort(new DOMException("gone", "AbortError"));
  // In the order in which src/server/edge.ts does it.
  const stop = () => {
    caller.abort(new GatewayStopping());
    stopper.abort(new GatewayStopping());
  };
  return { asked, state, disconnect, stop, upstream };
}

test("the gateway stops while the caller is there: its upstream call ends at once, for that reason", () => {
  const { state, stop, asked, upstream } = openCall(false);
  stop();
  expect(state()).toEqual({ ended: true, stopped: false });
  expect(upstream.signal.reason).toBeInstanceOf(GatewayStopping);
  expect(asked.made).toBe(0);
});

test("the caller disconnects and its answer is read on: it still ends when the gateway stops", () => {
  const { state, disconnect, stop, upstream } = openCall(false);
  disconnect();
  expect(state()).toEqual({ ended: false, stopped: false });
  stop();
  expect(state()).toEqual({ ended: true, stopped: false });
  expect(upstream.signal.reason).toBeInstanceOf(GatewayStopping);
});

test("the caller disconnects and the upstream is told to stop: what is still read ends when the gateway stops", () => {
  const { state, disconnect, stop } = openCall(true);
  disconnect();
  expect(state()).toEqual({ ended: false, stopped: true });
  stop();
  expect(state()).toEqual({ ended: true, stopped: true });
});

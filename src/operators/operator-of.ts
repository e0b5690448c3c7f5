// The operator of a request, as handlers ask for it: the edge has let no other caller in.
import type { Caller } from "../accounts/caller.ts";
import type { Operator } from "../accounts/operators.ts";
import { type Actor, operatorActor } from "./action-log.ts";

export function operatorOf({ operator }: Caller): Operator {
  if (operator === undefined) throw new Error("an operator's operation without an operator");
  return operator;
}

export function actorOf({ caller, address, requestId }: { caller: Caller; address: string; requestId: string }): Actor {
  return operatorActor(operatorOf(caller), { address, requestId });
}

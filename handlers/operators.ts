// The handlers of the operators' operations; index.ts has the others.
import { getOperator } from "./get-operator.ts";
import { getOperatorAccount } from "./get-operator-account.ts";
import { getOperatorOverview } from "./get-operator-overview.ts";
import { listOperatorAccounts } from "./list-operator-accounts.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { resumeAccount } from "./resume-account.ts";
import { suspendAccount } from "./suspend-account.ts";
import { adjustAccount } from "./adjust-account.ts";
import { refundCall } from "./refund-call.ts";
import { listOperatorCalls } from "./list-operator-calls.ts";
import { getOperatorCall } from "./get-operator-call.ts";
import { listOperators } from "./list-operators.ts";
import { setOperator } from "./set-operator.ts";
import { removeOperator } from "./remove-operator.ts";
import { listProviders } from "./list-providers.ts";
import { disableProvider } from "./disable-provider.ts";
import { enableProvider } from "./enable-provider.ts";

export const operatorHandlers = {
  getOperator,
  getOperatorAccount,
  getOperatorOverview,
  listOperatorAccounts,
  listOperatorActions,
  resumeAccount,
  suspendAccount,
  adjustAccount,
  refundCall,
  listOperatorCalls,
  getOperatorCall,
  listOperators,
  setOperator,
  removeOperator,
  listProviders,
  disableProvider,
  enableProvider,
};

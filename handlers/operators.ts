// The handlers of the operators' operations; index.ts has the others.
import { getOperator } from "./get-operator.ts";
import { getOperatorAccount } from "./get-operator-account.ts";
import { getOperatorOverview } from "./get-operator-overview.ts";
import { listOperatorAccounts } from "./list-operator-accounts.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { resumeAccount } from "./resume-account.ts";
import { suspendAccount } from "./suspend-account.ts";

export const operatorHandlers = {
  getOperator,
  getOperatorAccount,
  getOperatorOverview,
  listOperatorAccounts,
  listOperatorActions,
  resumeAccount,
  suspendAccount,
};

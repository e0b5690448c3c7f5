// The handlers of the operators' operations; index.ts has the others.
import { getOperator } from "./get-operator.ts";
import { getOperatorAccount } from "./get-operator-account.ts";
import { getOperatorOverview } from "./get-operator-overview.ts";
import { listAccountLedger } from "./list-account-ledger.ts";
import { listOperatorAccounts } from "./list-operator-accounts.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { resumeAccount } from "./resume-account.ts";
import { setAccountTier } from "./set-account-tier.ts";
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
import { listOperatorJobs } from "./list-operator-jobs.ts";
import { getOperatorJob } from "./get-operator-job.ts";
import { cancelOperatorJob } from "./cancel-operator-job.ts";
import { listOperatorSettings } from "./list-operator-settings.ts";
import { updateOperatorSettings } from "./update-operator-settings.ts";
import { getOperatorUsageSummary } from "./get-operator-usage-summary.ts";
import { getOperatorCatalog } from "./get-operator-catalog.ts";
import { checkCatalog } from "./check-catalog.ts";
import { compareCatalog } from "./compare-catalog.ts";
import { listCatalogVersions } from "./list-catalog-versions.ts";
import { applyCatalog } from "./apply-catalog.ts";
import { revertCatalog } from "./revert-catalog.ts";
import { createAccount } from "./create-account.ts";
import { getOperatorLedger } from "./get-operator-ledger.ts";
import { startLedgerAudit } from "./start-ledger-audit.ts";
import { createVouchers } from "./create-vouchers.ts";
import { listVouchers } from "./list-vouchers.ts";
import { getVoucher } from "./get-voucher.ts";
import { endVoucher } from "./end-voucher.ts";
import { endVoucherBatch } from "./end-voucher-batch.ts";

export const operatorHandlers = {
  getOperator,
  getOperatorAccount,
  getOperatorOverview,
  listAccountLedger,
  listOperatorAccounts,
  listOperatorActions,
  resumeAccount,
  setAccountTier,
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
  listOperatorJobs,
  getOperatorJob,
  cancelOperatorJob,
  listOperatorSettings,
  updateOperatorSettings,
  getOperatorUsageSummary,
  getOperatorCatalog,
  checkCatalog,
  compareCatalog,
  listCatalogVersions,
  applyCatalog,
  revertCatalog,
  createAccount,
  getOperatorLedger,
  startLedgerAudit,
  createVouchers,
  listVouchers,
  getVoucher,
  endVoucher,
  endVoucherBatch,
};

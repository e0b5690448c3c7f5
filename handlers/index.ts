// The handler of every operation.
import { answerOnce } from "../src/calls/answer-once.ts";
import { keepAnswers } from "../src/language/response-cache.ts";
import type { Handlers } from "../src/operation.ts";
import { cloneVoice } from "./clone-voice.ts";
import { compactResponse } from "./compact-response.ts";
import { confirmSession } from "./confirm-session.ts";
import { getTotp } from "./get-totp.ts";
import { beginTotp } from "./begin-totp.ts";
import { confirmTotp } from "./confirm-totp.ts";
import { deleteTotp } from "./delete-totp.ts";
import { countMessageTokens } from "./count-message-tokens.ts";
import { countResponseTokens } from "./count-response-tokens.ts";
import { createApiKey } from "./create-api-key.ts";
import { createChatCompletion } from "./create-chat-completion.ts";
import { createCompletion } from "./create-completion.ts";
import { createDecision } from "./create-decision.ts";
import { createSystemOneDecision } from "./create-system-one-decision.ts";
import { createEmbeddings } from "./create-embeddings.ts";
import { createImage } from "./create-image.ts";
import { createImageEdit } from "./create-image-edit.ts";
import { createImageVariation } from "./create-image-variation.ts";
import { createMusic } from "./create-music.ts";
import { batchHandlers } from "./batches.ts";
import { createFile } from "./create-file.ts";
import { createQuote } from "./create-quote.ts";
import { createRerank } from "./create-rerank.ts";
import { createMessage } from "./create-message.ts";
import { createResponse } from "./create-response.ts";
import { createSoundEffect } from "./create-sound-effect.ts";
import { createSpeech } from "./create-speech.ts";
import { createTopup } from "./create-topup.ts";
import { createTranscription } from "./create-transcription.ts";
import { createTranslation } from "./create-translation.ts";
import { createVideo } from "./create-video.ts";
import { getApiKeyUsage } from "./get-api-key-usage.ts";
import { purgeResponseCache } from "./purge-response-cache.ts";
import { rollApiKey } from "./roll-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { designVoice } from "./design-voice.ts";
import { fileHandlers } from "./files.ts";
import { conversationHandlers } from "./conversations.ts";
import { storedResponseHandlers } from "./stored-responses.ts";
import { forgotPassword } from "./forgot-password.ts";
import { getAuthOptions } from "./get-auth-options.ts";
import { getAutoTopup } from "./get-auto-topup.ts";
import { removeCard } from "./remove-card.ts";
import { startCardSetup } from "./start-card-setup.ts";
import { updateAutoTopup } from "./update-auto-topup.ts";
import { getCreditBalance } from "./get-credit-balance.ts";
import { getGenmediaJob } from "./get-genmedia-job.ts";
import { getJob } from "./get-job.ts";
import { getLegacyPricing } from "./get-legacy-pricing.ts";
import { getLimits } from "./get-limits.ts";
import { getModel } from "./get-model.ts";
import { getPricing } from "./get-pricing.ts";
import { listPriceChanges } from "./list-price-changes.ts";
import { getReceiptProof } from "./get-receipt-proof.ts";
import { getReceipt } from "./get-receipt.ts";
import { getUsageSummary } from "./get-usage-summary.ts";
import { getSession } from "./get-session.ts";
import { getTopup } from "./get-topup.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { listErrors } from "./list-errors.ts";
import { listJobs } from "./list-jobs.ts";
import { listLedgerEntries } from "./list-ledger-entries.ts";
import { listModels } from "./list-models.ts";
import { listTiers } from "./list-tiers.ts";
import { listUsageLogs } from "./list-usage-logs.ts";
import { listVoices } from "./list-voices.ts";
import { noticeHandlers } from "./notices.ts";
import { endOtherSessions } from "./end-other-sessions.ts";
import { endSession } from "./end-session.ts";
import { listSessions } from "./list-sessions.ts";
import { getStatement } from "./get-statement.ts";
import { listStatements } from "./list-statements.ts";
import { listCreditGrants } from "./list-credit-grants.ts";
import { redeemVoucher } from "./redeem-voucher.ts";
import { deleteAccount } from "./delete-account.ts";
import { exportAccount } from "./export-account.ts";
import { operatorHandlers } from "./operators.ts";
import { receivePaymentEvent } from "./receive-payment-event.ts";
import { recommendModels } from "./recommend-models.ts";
import { resendVerification } from "./resend-verification.ts";
import { resetPassword } from "./reset-password.ts";
import { runGenmedia } from "./run-genmedia.ts";
import { signIn } from "./sign-in.ts";
import { signInWithProvider } from "./sign-in-with-provider.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";
import { startSignIn } from "./start-sign-in.ts";
import { understandAudio } from "./understand-audio.ts";
import { updateApiKey } from "./update-api-key.ts";
import { verifyAccount } from "./verify-account.ts";
import { listWorkspaces } from "./list-workspaces.ts";
import { createWorkspace } from "./create-workspace.ts";
import { getWorkspace } from "./get-workspace.ts";
import { updateWorkspace } from "./update-workspace.ts";
import { listMembers } from "./list-members.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { createInvitation } from "./create-invitation.ts";
import { resendInvitation } from "./resend-invitation.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import { listInvitations } from "./list-invitations.ts";
import { claimDomain } from "./claim-domain.ts";
import { listDomains } from "./list-domains.ts";
import { removeDomain } from "./remove-domain.ts";
import { updateDomain } from "./update-domain.ts";
import { verifyDomain } from "./verify-domain.ts";
import { updateMember } from "./update-member.ts";
import { removeMember } from "./remove-member.ts";
import { leaveWorkspace } from "./leave-workspace.ts";

export const handlers: Handlers = {
  cloneVoice: answerOnce(cloneVoice),
  confirmSession,
  getTotp,
  beginTotp,
  confirmTotp,
  deleteTotp,
  countMessageTokens,
  countResponseTokens,
  compactResponse: answerOnce(compactResponse),
  createApiKey,
  createChatCompletion: answerOnce(keepAnswers(createChatCompletion)),
  createCompletion: answerOnce(keepAnswers(createCompletion)),
  createDecision: answerOnce(keepAnswers(createDecision)),
  createSystemOneDecision: answerOnce(keepAnswers(createSystemOneDecision)),
  createEmbeddings: answerOnce(keepAnswers(createEmbeddings)),
  ...batchHandlers,
  createFile,
  ...fileHandlers,
  ...storedResponseHandlers,
  ...conversationHandlers,
  createImage,
  createImageEdit,
  createImageVariation,
  createMusic: answerOnce(createMusic),
  createQuote,
  createRerank: answerOnce(keepAnswers(createRerank)),
  createMessage: answerOnce(keepAnswers(createMessage)),
  createResponse: answerOnce(keepAnswers(createResponse)),
  createSoundEffect: answerOnce(createSoundEffect),
  createSpeech: answerOnce(createSpeech),
  createTopup,
  createTranscription: answerOnce(createTranscription),
  createTranslation: answerOnce(createTranslation),
  createVideo,
  deleteApiKey,
  getApiKeyUsage,
  purgeResponseCache,
  rollApiKey,
  designVoice: answerOnce(designVoice),
  forgotPassword,
  getAuthOptions,
  getAutoTopup,
  updateAutoTopup,
  startCardSetup,
  removeCard,
  getCreditBalance,
  getGenmediaJob,
  getJob,
  getLegacyPricing,
  getLimits,
  getModel,
  getPricing,
  listPriceChanges,
  getReceipt,
  getReceiptProof,
  getUsageSummary,
  getSession,
  exportAccount,
  deleteAccount,
  listSessions,
  endSession,
  endOtherSessions,
  getTopup,
  listStatements,
  listCreditGrants,
  redeemVoucher,
  getStatement,
  listApiKeys,
  listErrors,
  listJobs,
  listLedgerEntries,
  listModels,
  listTiers,
  listUsageLogs,
  listVoices,
  receivePaymentEvent,
  recommendModels,
  resendVerification,
  resetPassword,
  runGenmedia,
  signIn,
  signInWithProvider,
  signOut,
  signUp,
  startSignIn,
  understandAudio,
  updateApiKey,
  verifyAccount,
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  listMembers,
  acceptInvitation,
  createInvitation,
  resendInvitation,
  revokeInvitation,
  listInvitations,
  claimDomain,
  listDomains,
  removeDomain,
  updateDomain,
  verifyDomain,
  updateMember,
  removeMember,
  leaveWorkspace,
  ...noticeHandlers,
  ...operatorHandlers,
};

// /docs/credits: how credit is added here, and what it opens. The target of every 402's topup_url, and where a checkout returns to.
import { topupMinimumUsd } from "../addresses.ts";
import { escapeHtml, page } from "./page-html.ts";

export function docsCreditsPage({ publicUrl, canPay }: { publicUrl: string; canPay: boolean }): string {
  return page("Credit", `${canPay ? byPayment(publicUrl) : byOperator}\n${rules}`);
}

function byPayment(publicUrl: string): string {
  const curl = `curl ${publicUrl}/v1/credits/topup \\
  -H "Authorization: Bearer $SESSION_TOKEN" -H "Content-Type: application/json" \\
  -d '{"amount_usd": 20}'`;
  return `<h2>Add credit</h2>
<p>Sign in (<code>POST /v1/auth/signin</code>) and ask for a checkout with the session token; an API key is not enough. The least amount is ${topupMinimumUsd} USD.</p>
<pre><code>${escapeHtml(curl)}</code></pre>
<p>Open <code>checkout_url</code> of the reply in a browser and pay there. <code>GET /v1/credits/topup/{id}</code> says when the payment was confirmed, most often within seconds: the balance and the tier rise in that moment.</p>
<p>If you have just come back from a payment, there is nothing more to do.</p>`;
}

const byOperator = `<h2>Add credit</h2>
<p>Nobody can pay online on this gateway. Ask its operator, who adds credit with</p>
<pre><code>svc account deposit EMAIL USD</code></pre>
<p><code>EMAIL</code> is the email address of your account.</p>`;

const rules = `<h2>What it opens</h2>
<p>An account that never added credit can call the models with <code>free_tier: true</code> in <code>GET /v1/models</code> only; any other model answers 402 <code>model_requires_paid</code>. The credit given for signing up does not change that. The first time credit is added opens every model.</p>
<p>All credit ever added sets the tier, and with it the rate limits (<code>GET /v1/limits/tiers</code>). <code>GET /v1/credits/balance</code> shows the balance and the tier.</p>
<p><a href="errors#insufficient_credits">insufficient_credits</a> · <a href="errors#model_requires_paid">model_requires_paid</a> · <a href="../docs">Documentation</a></p>`;

// Azure's OpenAI: the adapters of the `openai` protocol at a resource's own paths (docs/behaviour/providers.md#azure). A route's model is
// the name of a deployment.
import type { Provider, Route, UpstreamCall } from "../types.ts";

/** The same adapter, for routes of an Azure resource. */
export function overAzure<Call extends UpstreamCall, Answer>(verb: (call: Call) => Answer): (call: Call) => Answer {
  return (call) => verb({ ...call, route: atResource(call.route) });
}

/** The transport and the adapters remember what they know of a provider and of a route, so each has one stand-in. */
const known = new WeakMap<Route, Route>();

function atResource(route: Route): Route {
  let found = known.get(route);
  if (found === undefined) {
    found = { ...route, provider: { ...route.provider, baseUrl: baseUrlOf(route) } satisfies Provider };
    known.set(route, found);
  }
  return found;
}

function baseUrlOf({ provider: { baseUrl, apiVersion }, model }: Route): string {
  if (apiVersion === undefined) return /\/openai\/v1$/.test(baseUrl) ? baseUrl : `${baseUrl}/openai/v1`;
  return `${baseUrl}/openai/deployments/${encodeURIComponent(model)}?api-version=${encodeURIComponent(apiVersion)}`;
}

// What follows a sign-in, by password or by a provider: nothing of another person stays in memory, and the page that was asked for opens.
import { useRouter } from "@tanstack/react-router";
import type { NewSession } from "svc-sdk/functions";
import { isOtherPerson, setCsrfToken } from "../../lib/api.ts";
import { ownPath } from "../../lib/next-page.ts";
import { consolePath } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";

export function useEnter(): (session: NewSession, next: string | undefined) => Promise<void> {
  const router = useRouter();
  return async ({ csrf_token, user }, next) => {
    queries.clear();
    if (isOtherPerson(user)) return location.assign(consolePath + ownPath(next));
    setCsrfToken(csrf_token);
    await router.navigate({ href: ownPath(next), replace: true });
  };
}

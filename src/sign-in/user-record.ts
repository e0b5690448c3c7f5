// A user as the contract shows it, with the tier that its money reaches.
import type { User } from "../accounts/users.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog } from "../catalog/types.ts";

export function userRecord(catalog: Pick<Catalog, "tiers">, user: Omit<User, "accountId">) {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.verified,
    name: user.name,
    created_at: user.createdAt.toISOString(),
    tier: tierOf(catalog, user.purchased).tier,
  };
}

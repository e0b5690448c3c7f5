// An operator at the console: a new account with a role, in a browser of its own.
import type { Browser, Page } from "playwright-core";
import type { Gateway, TestAccount } from "../support/gateway.ts";
import { makeOperator } from "../support/operators.ts";
import { openPerson, type Person } from "./people.ts";

export type Role = "support" | "finance" | "admin";

export async function newOperator(gateway: Gateway, role: Role): Promise<TestAccount> {
  const account = await gateway.createAccount();
  await makeOperator(gateway, account, role);
  return account;
}

export async function openOperator(browser: Browser, gateway: Gateway, role: Role = "admin"): Promise<Person & { account: TestAccount }> {
  const account = await newOperator(gateway, role);
  return { account, ...(await openPerson(browser, gateway, { account })) };
}

/** Fills in the reason and makes the change that the dialog is for. */
export async function give(page: Page, reason: string, action: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: action });
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: action }).click();
}

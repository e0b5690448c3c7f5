// PATCH /v1/operator/settings: changes settings while the gateway runs.
import type { Handler } from "../src/operation.ts";
import { changeSettings } from "../src/operators/changed-settings.ts";
import { actorOf } from "../src/operators/requests.ts";
import { settingList } from "../src/operators/settings.ts";

export const updateOperatorSettings: Handler<"updateOperatorSettings"> = async (context, request) => {
  const { db, clock, settings, catalog, publicUrl } = context;
  const { environment } = settings;
  await changeSettings({ db, clock, environment }, actorOf(request), { ...request.body, reason: request.body.reason.trim() });
  await settings.refresh(); // who reads next from this process finds the change
  return { status: 200, body: await settingList(db, { environment, catalog, publicUrl }) };
};

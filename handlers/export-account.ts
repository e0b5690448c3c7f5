// GET /v1/account/export: everything that is stored about the person, as lines of JSON.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { exportAccount as readExport } from "../src/sign-in/export-account.ts";

const perMinute = 2;

export const exportAccount: Handler<"exportAccount"> = async (context, { caller, receivedAt: at }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  await context.limits.assertWithin({ accountId: personId, bucket: "export" }, perMinute);
  return {
    status: 200,
    headers: {
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": 'attachment; filename="account.ndjson"',
      "cache-control": "no-store",
    },
    stream: async (sink) => {
      for await (const lines of readExport(context, { personId, hash, at }))
        if (lines.length > 0) await sink.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    },
  };
};

// POST /v1/images/edits: OpenAI's form. The job is that of a generation, with the uploaded images as its references; its caller waits for it.
import type { Ask } from "../src/calls/ask.ts";
import type { Context } from "../src/context.ts";
import { imageTypeOf, readUploads } from "../src/jobs/image-data.ts";
import { planImageEdit } from "../src/jobs/plan-media.ts";
import { type MediaRequest, submitRequest } from "../src/jobs/submit-request.ts";
import type { JobPlan } from "../src/jobs/types.ts";
import type { FormFile, Handler } from "../src/operation.ts";
import { preferredWait } from "../src/jobs/waiters.ts";
import { waitedFor } from "./create-image.ts";

type Edit = Handler<"createImageEdit">;

/** A job has five minutes from the moment that its route is asked. */
const waitSeconds = { usual: 180, max: 300 };

const edit: Edit = async (context, { caller, form, headers }, ask) => {
  const { fields, files } = form!;
  const images = files.filter(({ field }) => field === "image").length;
  const plan = await planImageEdit(context, caller, fields, { images, mask: images < files.length });
  return await submitUploads(context, ask, { headers, fields, files, plan });
};

interface Uploading {
  headers: MediaRequest["headers"];
  fields: MediaRequest["body"] & { response_format?: string | null };
  files: readonly FormFile[];
  plan: JobPlan;
}

/** The answer to a form with images, once its job has ended or its caller has waited long enough. */
export async function submitUploads(context: Context, ask: Ask, { headers, fields, files, plan }: Uploading) {
  // A quote keeps none.
  const uploads = ask.quote === undefined ? { uploads: await readUploads(context.media, files, ask.signal) } : {};
  const withUploads = { ...plan, request: { ...plan.request, ...uploads } };
  const submitted = await submitRequest(context, ask, { headers, body: fields }, "image", withUploads);
  const seconds = preferredWait(headers["prefer"], waitSeconds) ?? waitSeconds.usual;
  return await waitedFor(context, ask, { plan, submitted, seconds, asBytes: fields.response_format === "b64_json" });
}

/** Refuses what is no image while the rest of the form is still on its way. */
export const checkImageFile = async ({ media }: Pick<Context, "media">, file: FormFile): Promise<void> =>
  void (await imageTypeOf(media, file));

export const createImageEdit: Edit = Object.assign(edit, { checkFile: checkImageFile });

// POST /v1/images/variations: OpenAI's form. The job is that of an edit of one image, without a prompt.
import { planImageVariation } from "../src/jobs/plan-media.ts";
import type { Handler } from "../src/operation.ts";
import { checkImageFile, submitUploads } from "./create-image-edit.ts";

type Variation = Handler<"createImageVariation">;

const vary: Variation = async (context, { caller, form, headers }, ask) => {
  const { fields, file } = form!;
  return await submitUploads(context, ask, { headers, fields, files: [file], plan: await planImageVariation(context, caller, fields) });
};

export const createImageVariation: Variation = Object.assign(vary, { checkFile: checkImageFile });

// The public suites that are run, and where their repositories are kept: nothing of theirs is in ours.
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openaiDocument } from "./openai-document.ts";
import { openResponses } from "./open-responses.ts";
import { opencompat } from "./opencompat.ts";
import type { Suite } from "./suite.ts";

export const suites: readonly Suite[] = [openResponses, opencompat, openaiDocument];

const kept = fileURLToPath(new URL("../../.suites", import.meta.url));

export const folderOf = ({ repository }: Suite): string => join(kept, basename(repository));

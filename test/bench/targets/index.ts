// All targets, in the order of the table.
import { bare } from "./bare.ts";
import { direct } from "./direct.ts";
import { nginx } from "./nginx.ts";
import { ours } from "./ours.ts";
import { litellm } from "./litellm.ts";
import { portkey } from "./portkey.ts";
import type { Target } from "./types.ts";

export const targets: Target[] = [bare, direct, nginx, ours, portkey, litellm];

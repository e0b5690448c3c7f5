// Reads what a decision asks from its request, and which model decides. The edge has checked each field's type.
import type { components } from "../../../generated/api.d.ts";
import { resolveModel, suggestModels } from "../../catalog/resolve.ts";
import type { Catalog } from "../../catalog/types.ts";
import { fail, failParameter } from "../../errors/fail.ts";

type DecisionRequest = components["schemas"]["DecisionRequest"];

export interface Question {
  id: string;
  instructions: string | null;
  /** In the caller's order. */
  options: { id: string; meaning: string | null }[];
}

export interface DecisionTask {
  state: string;
  questions: Question[];
  routing: DecisionRequest["routing"];
}

/** The only decisions model. */
const decisionsModel = "jev";

export function decisionTask({ state: given, questions, routing }: DecisionRequest): DecisionTask {
  const state = typeof given === "string" ? given : given.map(({ text }) => text).join("\n");
  if (state.trim() === "") failParameter("state", "it must not be empty: it is what the questions are about");
  return {
    state,
    routing,
    questions: Object.entries(questions).map(([id, { instructions, criteria }]) => ({
      id,
      instructions: instructions ?? null,
      options: Object.entries(criteria).map(([option, meaning]) => ({ id: option, meaning })),
    })),
  };
}

/** Returns the name that was sent, id or alias. Throws invalid_parameter for any other model, model_unavailable where jev isn't served. */
export function decisionModelName(catalog: Catalog, sent: string | null | undefined): string {
  const name = sent ?? decisionsModel;
  const model = resolveModel(catalog, name)?.model;
  if ((model?.id ?? name) !== decisionsModel)
    fail("invalid_parameter", {
      param: "model",
      text: { param: "model", reason: `${decisionsModel} is the only model for decisions` },
      extra: suggestModels(catalog, name, "decisions"),
    });
  if (model?.type !== "decisions" || model.state.kind !== "active") fail("model_unavailable");
  return name;
}

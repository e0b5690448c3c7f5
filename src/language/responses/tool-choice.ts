// Which of the offered tools the model may or must call, in chat's words. `allowed_tools` narrows the tools themselves:
// few hosts know it.
import { failParameter } from "../../errors/fail.ts";
import { chosenName, type OfferedTools } from "./tools.ts";
import type { ChatFunction, ResponseRequest } from "./types.ts";

interface ChosenTools {
  tools?: ChatFunction[];
  tool_choice?: string | { type: "function"; function: { name: string } };
}

/** Without tools nothing is said of them: hosts refuse a choice of nothing. */
export function chooseTools(choice: ResponseRequest["tool_choice"], offered: OfferedTools): ChosenTools {
  if (choice == null) return toolsOf(offered.functions);
  if (typeof choice === "string") return chooseMode(choice, offered.functions, "tool_choice");
  switch (choice.type) {
    case "function":
    case "custom": {
      const name =
        chosenName(offered, choice.type, choice.name) ??
        failParameter("tool_choice", `${choice.name ?? "its tool"} is not among the tools`);
      return { tools: offered.functions, tool_choice: { type: "function", function: { name } } };
    }
    case "allowed_tools": {
      const names = new Set((choice.tools ?? []).map((tool) => chosenName(offered, tool["type"], tool["name"])));
      const allowed = offered.functions.filter((tool) => names.has(tool.function.name));
      return chooseMode(choice.mode ?? "auto", allowed, "tool_choice.mode");
    }
    default:
      return failParameter("tool_choice.type", `tools of type ${choice.type.slice(0, 60)} are not run here`);
  }
}

function chooseMode(mode: string, tools: ChatFunction[], param: string): ChosenTools {
  if (mode !== "auto" && mode !== "none" && mode !== "required") failParameter(param, "it must be none, auto or required");
  if (mode === "required" && tools.length === 0) failParameter(param, "there is no tool that could be called");
  return tools.length === 0 ? {} : { tools, tool_choice: mode };
}

function toolsOf(tools: ChatFunction[]): ChosenTools {
  return tools.length === 0 ? {} : { tools };
}

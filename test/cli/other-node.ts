// A Node on the PATH that is not the pinned one: the system's old one, where there is one.
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

export const otherNode: string | undefined = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath));

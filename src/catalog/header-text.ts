// The value of a header in the catalog file: `${NAME}` stands for a variable of the environment, `$$` for a dollar.

const part = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$/g;

/** Null: nothing. */
export function headerTextFault(text: string): string | null {
  const stray = [...text.matchAll(part)].some(([found]) => found === "$");
  return stray ? 'has a "$" that begins no variable: write ${NAME} for the variable NAME of the environment, or $$ for a dollar' : null;
}

export interface HeaderText {
  value: string;
  /** Values of variables in it. */
  secrets: string[];
  /** Names of those that are not set; the header can't be sent then. */
  unset: string[];
  /** Names of those that hold what no header can carry. */
  unfit: string[];
}

/** Of a text without a fault. */
export function fillHeaderText(text: string, environment: Record<string, string | undefined>): HeaderText {
  const filled: HeaderText = { value: "", secrets: [], unset: [], unfit: [] };
  filled.value = text.replace(part, (found, name?: string) => {
    if (name === undefined) return found === "$$" ? "$" : found;
    const secret = environment[name]?.trim() ?? "";
    if (secret === "") filled.unset.push(name);
    else filled.secrets.push(secret);
    if (!canBeSent(secret)) filled.unfit.push(name);
    return secret;
  });
  return filled;
}

export function canBeSent(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}

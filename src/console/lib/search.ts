// What an address may say after its question mark: words alone; anything else is left out.

export function words<Name extends string>(...names: Name[]): (search: Record<string, unknown>) => Partial<Record<Name, string>> {
  return (search) => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string" && value !== "") found[name] = value;
      else if (typeof value === "number" || typeof value === "boolean") found[name] = String(value);
    }
    return found;
  };
}

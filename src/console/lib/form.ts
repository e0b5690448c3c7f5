// Reads what a form's fields hold.

/** Of an input or a choice, without the spaces around it; empty where the form has no such field. */
export function fieldText(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value.trim() : "";
}

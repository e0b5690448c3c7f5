// Which targets a scenario compares.

export const peers = ["portkey", "litellm"];
export const ours = ["ours-auth", "ours-limits", "ours-settle", "ours-full"];
export const everyTarget = ["direct", "nginx", ...ours, ...peers];

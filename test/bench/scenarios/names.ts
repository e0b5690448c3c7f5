// Which targets a scenario compares.

export const peers = ["portkey", "litellm"];
export const ours = ["ours-auth", "ours-limits", "ours-settle", "ours-full"];
export const withoutPeers = ["direct", "nginx", ...ours];
export const everyTarget = [...withoutPeers, ...peers];

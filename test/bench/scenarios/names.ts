// Which targets a scenario compares.

export const peers = ["portkey", "litellm"];
export const withoutPeers = ["direct", "nginx", "ours"];
export const everyTarget = [...withoutPeers, ...peers];

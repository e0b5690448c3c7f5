// What is the operator's business and what a host may say of it: its place in the network, keys whole, cut or masked, ids of accounts.

export const hostKey = "sk-proj-Ab12Cd34Ef56Gh78Ij90";
export const leaks: readonly string[] = [
  ...[
    hostKey,
    hostKey.slice(0, 12),
    `${hostKey.slice(0, 10)}…`,
    hostKey.slice(-9),
    "sk-...Ij90",
    "sk-proj-****Ij90",
    "key ending in Ij90",
    "Bearer sk-other-1234567",
  ],
  ...["10.2.3.4:8000", "http://192.168.7.7/v1/models", "vllm.models.svc.cluster.local:8000", "db.internal", "[fd00::7]:8000", "fe80::7"],
  ...["connect to vllm-7b:8000", "localhost:11434", "port 8000", "org-aBcDeFgHiJkL1234", "proj_x1y2z3a4b5", "tenant-secret-7"],
  ...["HTTPConnectionPool(host='vllm-prod', port=8000)", "Connection refused (vllm:8000)"],
];
/** What must be found nowhere, of all these. */
export const secrets =
  /Ab12Cd|Ij90|sk-other|10\.2\.3\.4|192\.168|svc\.cluster|db\.internal|fd00::7|fe80::7|vllm-7b:|vllm-prod|localhost|8000|11434|aBcDeFg|x1y2z3|tenant-secret|127\.0\.0\.1/;

/** All of a reply that a caller sees, but for ids, which are drawn and may contain any digits. */
export function shown({ text, headers }: { text: string; headers: object }): string {
  return (text + JSON.stringify(headers)).replace(/\b[a-z]+[_-][0-9a-f]{16,}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, "drawn");
}

// deploy/helm: the chart's values, schema and templates as they are read, and what helm makes of them (npm run tools:install): as it is to be,
// and as Kubernetes' own schemas have it.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config.ts";
import { findHelm, findSchemas, kubernetes } from "../support/chart-tools.ts";
import { startGateway } from "../support/gateway.ts";
import { drawn } from "../support/size.ts";

const root = resolve(import.meta.dirname, "../..");
const chart = join(root, "deploy/helm");
const read = (file: string) => readFileSync(join(chart, file), "utf8");
const values = parse(read("values.yaml")) as Record<string, unknown>;
const example = parse(read("example-values.yaml")) as Record<string, unknown>;
const templates = globSync("templates/*", { cwd: chart }).map(read).join("\n");

/** As helm does: maps are merged, anything else is replaced. */
function merged(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  return { ...base, ...Object.fromEntries(Object.entries(over).map(([name, value]) => [name, merged(base[name], value)])) };
}
const isMap = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

describe("as they are read", () => {
  const isValid = new Ajv({ strict: false }).compile(JSON.parse(read("values.schema.json")) as object);

  test("the schema takes the example, and refuses what an installation must not be", () => {
    expect(isValid(merged(values, example))).toBe(true);
    const wrong = [
      values, // names no image, no secret and no address
      { terminationGracePeriodSeconds: 30 },
      { publicUrl: "api.example.com" },
      { image: { repository: "a", digest: "latest" } },
      { autoscaling: { metric: "memory" } },
      { media: { blobUrl: "https://bucket" } },
      { replica: 2 },
    ];
    expect(wrong.filter((one) => isValid(one === values ? values : merged(merged(values, example), one)))).toEqual([]);
  });

  test("every value that a template reads is in values.yaml, and every one in values.yaml is read", () => {
    const named = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!));
    const isThere = (path: string) =>
      path.split(".").reduce<unknown>((at, name) => (isMap(at) ? at[name] : undefined), values) !== undefined;
    expect([...named].filter((path) => !isThere(path))).toEqual([]);
    const paths = Object.entries(values).flatMap(([name, value]) =>
      isMap(value) && !named.has(name) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
    );
    expect(paths.filter((path) => !named.has(path))).toEqual([]);
  });

  test("every variable that it sets is one that the gateway knows", () => {
    const known = new Set<string>();
    readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void known.add(String(name)) }));
    const set = [...templates.matchAll(/name: ([A-Z][A-Z_]+)\b/g)].map(([, name]) => name!);
    expect(set).toContain("SVC_PUBLIC_URL");
    expect([...set, ...Object.keys(values["env"] as object)].filter((name) => !known.has(name))).toEqual([]);
  });

  test("its version is that of the package and of the contract's SDK; its user and folder those of the image", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(parse(read("Chart.yaml"))).toMatchObject({ version, appVersion: version });
    expect(JSON.parse(readFileSync(join(root, "generated/sdk/package.json"), "utf8"))).toMatchObject({ version });
    const image = readFileSync(join(root, "Dockerfile"), "utf8");
    expect(image).toContain("belongs to uid 1000");
    expect(templates).toContain("runAsUser: 1000");
    expect(image).toContain("ENV SVC_DATA_DIR=/data");
    expect(image).toContain("EXPOSE 8787");
  });

  test("the paths that it asks are the gateway's, and the metric that it scales by is in /metrics", async () => {
    const gateway = await startGateway();
    try {
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        expect(templates).toContain(`path: ${path}`);
        expect((await fetch(gateway.url + path)).status).toBe(200);
      }
      const [, metric] = /metric: \{ name: (\w+) \}/.exec(templates)!;
      expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(new RegExp(`^${metric} 0$`, "m"));
    } finally {
      await gateway.stop();
    }
  });
});

const helm = findHelm();
const isMissing = helm === null || kubernetes.some((version) => findSchemas(version) === null);
if (isMissing) {
  const why = "helm or the schemas of Kubernetes are not installed (npm run tools:install)";
  if (process.env["CI"] === "true") throw new Error(why);
  console.warn(`skipped: what helm makes of deploy/helm: ${why}`);
}

interface Container {
  args: string[];
  image: string;
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  envFrom?: { secretRef: { name: string } }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Rendered {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // Each kind has a shape of its own.
  spec: Record<string, unknown> & {
    template: { spec: { containers: [Container]; volumes: { name: string }[] } & Record<string, unknown> };
  };
}

const template = (...given: string[]) =>
  execFileSync(helm!, ["template", "prod", chart, "--kube-version", "1.33.0", ...given], { encoding: "utf8", stdio: "pipe" });

function documentsOf(text: string): Rendered[] {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Rendered | null);
  return documents.filter((one) => one !== null);
}

const render = (...given: string[]) => new Map(documentsOf(template(...given)).map((one) => [one.kind, one]));

const needed = ["image.repository=r.example.com/svc", "existingSecret=secrets", "publicUrl=https://api.example.com"].flatMap((pair) => [
  "--set",
  pair,
]);
const bucket = ["--set", "media.blobUrl=s3://media/prod"];

const everything = ["-f", join(chart, "example-values.yaml"), "--set", "catalog.text=models: []"];

/** Kubernetes' names of its schemas: the kind, the first part of its group, the version. */
function schemaOf({ apiVersion, kind }: Rendered): string {
  const [version, group] = apiVersion.split("/").toReversed() as [string, string?];
  return `${[kind, ...(group === undefined ? [] : [group.split(".")[0]]), version].join("-").toLowerCase()}.json`;
}

/** What the schemas of this version refuse, each with a field that they don't have. Each schema is read and compiled once. */
function schemasOf(version: string): (documents: readonly Rendered[]) => string[] {
  const schema = (name: string) => JSON.parse(readFileSync(join(findSchemas(version)!, name), "utf8")) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(schema("_definitions.json"));
  return (documents) =>
    documents.flatMap((one) => {
      const name = schemaOf(one);
      if (ajv.schemas[name] === undefined) ajv.addSchema(schema(name), name);
      const isRight = ajv.validate(name, one) as boolean;
      return isRight ? [] : [`${one.kind}: ${ajv.errorsText(null, { dataVar: "" })}`];
    });
}

describe.skipIf(isMissing)("as helm renders them", () => {
  test.each([
    ["least", () => [...needed, ...bucket]],
    ["everything", () => everything],
  ])("%s: to the byte as in test/deploy/golden (vitest -u writes it)", async (name, given) => {
    await expect(template(...given())).toMatchFileSnapshot(`golden/chart-${name}.yaml`);
  });

  test.each(drawn(kubernetes))("Kubernetes %s has every kind and field of it, at its type; a misspelled one it has not", (version) => {
    const refused = schemasOf(version);
    for (const given of [[...needed, ...bucket], [...needed, "--set", "media.existingClaim=media"], everything]) {
      const own = documentsOf(template(...given)).filter(({ apiVersion }) => !apiVersion.startsWith("monitoring.coreos.com/")); // of the Prometheus operator
      expect(own.length).toBeGreaterThanOrEqual(4);
      expect(refused(own)).toEqual([]);
      const deployment = own.find(({ kind }) => kind === "Deployment")!;
      const wrong = [
        { ...deployment.spec, replica: 2 },
        { ...deployment.spec, revisionHistoryLimit: "5" },
      ];
      for (const spec of wrong) expect(refused([{ ...deployment, spec }])).toHaveLength(1);
    }
  });

  test("lint finds nothing", () => {
    const said = execFileSync(helm!, ["lint", "--strict", chart, "-f", join(chart, "example-values.yaml"), "--kube-version", "1.33.0"], { encoding: "utf8" }); // prettier-ignore
    expect(said).toContain("0 chart(s) failed");
  });

  test("the least that it takes: a Deployment, its Service, a disruption budget and the migration before them", () => {
    const made = render(...needed, ...bucket);
    expect([...made.keys()].sort()).toEqual(["Deployment", "Job", "PodDisruptionBudget", "Service"]);
    const job = made.get("Job")!;
    expect(job.metadata.annotations).toMatchObject({ "helm.sh/hook": "pre-install,pre-upgrade" });
    const [migrate] = job.spec.template.spec.containers;
    expect(migrate.args).toEqual(["migrate"]);
    expect(migrate.envFrom).toBeUndefined();
    expect(migrate.env.map(({ name, valueFrom }) => [name, valueFrom!.secretKeyRef.name])).toEqual([
      ["DATABASE_URL", "secrets"],
      ["DATABASE_DIRECT_URL", "secrets"],
    ]);
    const { spec } = made.get("Deployment")!;
    expect(spec["replicas"]).toBe(2);
    expect(spec.template.spec["terminationGracePeriodSeconds"]).toBeGreaterThanOrEqual(40);
    expect(spec.template.spec.containers[0].envFrom).toEqual([{ secretRef: { name: "secrets" } }]);
    const environment = Object.fromEntries(spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]));
    expect(readConfig({ ...environment, DATABASE_URL: "postgres://svc@db/svc" })).toMatchObject({
      host: "0.0.0.0",
      port: 8787,
      publicUrl: "https://api.example.com",
    });
  });

  test("every container runs as a user without rights, on a root that it can't write to", () => {
    const made = render(...needed, ...bucket);
    for (const kind of ["Deployment", "Job"]) {
      const pod = made.get(kind)!.spec.template.spec;
      expect(pod["automountServiceAccountToken"]).toBe(false);
      expect(pod["securityContext"]).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } });
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const volumes = pod.volumes.map(({ name }) => name);
      expect(pod.containers[0].volumeMounts.filter(({ name }) => !volumes.includes(name))).toEqual([]);
    }
  });

  test("with everything on it scales by requests, is scraped with the token, and is reached by those that are named alone", () => {
    const made = render("-f", join(chart, "example-values.yaml"));
    expect(made.get("Deployment")!.spec["replicas"]).toBeUndefined();
    expect(made.get("HorizontalPodAutoscaler")!.spec["metrics"]).toEqual([
      { type: "Pods", pods: { metric: { name: "svc_requests_at_work" }, target: { type: "AverageValue", averageValue: "100" } } },
    ]);
    expect(made.get("ServiceMonitor")!.spec["endpoints"]).toMatchObject([
      { authorization: { credentials: { name: "svc-gateway", key: "SVC_METRICS_TOKEN" } } },
    ]);
    const job = (made.get("Service") as unknown as { metadata: { labels: Record<string, string> } }).metadata.labels[
      String(made.get("ServiceMonitor")!.spec["jobLabel"])
    ];
    expect(readFileSync(join(root, "deploy/prometheus/alerts.yaml"), "utf8")).toContain(`up{job="${job}"}`);
    const policy = made.get("NetworkPolicy")!.spec as unknown as { ingress: { from: object[] }[]; egress: { to?: object[] }[] };
    expect(policy.ingress.map(({ from }) => from.length)).toEqual([2]);
    expect(policy.egress[1]!.to).toEqual([{ ipBlock: { cidr: "10.0.0.0/24" } }]);
    const nobody = render(...needed, ...bucket, "--set", "networkPolicy.enabled=true,networkPolicy.database[0].ipBlock.cidr=10.0.0.0/24");
    expect(nobody.get("NetworkPolicy")!.spec["ingress"]).toEqual([]);
  });

  test("a catalog's text is mounted as it is, and another one starts new pods", () => {
    const catalog = join(root, "src/catalog/default.yaml");
    const made = render(...needed, ...bucket, "--set-file", `catalog.text=${catalog}`);
    expect((made.get("ConfigMap") as unknown as { data: Record<string, string> }).data["catalog.yaml"]!.trim()).toBe(
      readFileSync(catalog, "utf8").trim(),
    );
    const { containers } = made.get("Deployment")!.spec.template.spec;
    expect(containers[0].env).toContainEqual({ name: "SVC_CATALOG", value: "/etc/svc/catalog.yaml" });
    const sumOf = (one: Map<string, Rendered>) => JSON.stringify(one.get("Deployment")).match(/"checksum\/catalog":"(\w+)"/)![1];
    expect(sumOf(made)).not.toBe(sumOf(render(...needed, ...bucket)));
  });

  test.each([
    ["no place for media that pods share", needed, "media.existingClaim"],
    ["no secret", [...bucket, "--set", "image.repository=r,publicUrl=https://x"], "existingSecret"],
    ["too little time to finish", [...needed, ...bucket, "--set", "terminationGracePeriodSeconds=30"], "terminationGracePeriodSeconds"],
    ["a network policy without the database", [...needed, ...bucket, "--set", "networkPolicy.enabled=true"], "networkPolicy.database"],
  ])("refused: %s", (_, given, why) => {
    expect(() => render(...given)).toThrow(why);
  });
});

// What a public suite of other people is to ours: where it is had, how it runs against a gateway, and why it finds what it finds.
export interface Outcome {
  name: string;
  /** Empty: it passed. */
  faults: readonly string[];
}

/** Where a suite asks. */
export interface Target {
  /** Without /v1. */
  base: string;
  key: string;
  model: string;
  embedder: string;
}

export interface Suite {
  name: string;
  /** A repository, and the commit that was run. */
  repository: string;
  commit: string;
  /** Null: it can run here; else what is missing. */
  whyNot?: () => string | null;
  /** `folder`: the repository's files. */
  run(folder: string, target: Target): Promise<Outcome[]>;
  /** Every test that does not pass, by its name, and why it does not. */
  reasons: Readonly<Record<string, string>>;
}

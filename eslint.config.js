// Lint for what types and prettier don't see. The house's own rules (imports, sizes, banned calls) are test/house.test.ts.
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "generated/",
      "node_modules/",
      ".svc/",
      ".bench/",
      ".python-clients/",
      ".more-clients/",
      ".schemathesis/",
      "dist/",
      "src/docs/assets/",
      "**/fixtures/",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["eslint.config.js", "bin/svc.js", "src/console/install.js"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "no-console": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      // A function may be async for its interface; a callback may be async where its caller ignores what it returns.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
      // Numbers and bigints are what messages are made of.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true, allowNever: true }],
      // Where TypeScript's native compiler and typescript-eslint's differ on what is needed, types win.
      "@typescript-eslint/no-unnecessary-type-assertion": "off",
      // Objects here are records of closures; none has a `this`.
      "@typescript-eslint/unbound-method": "off",
      // An upstream's abort reason is thrown on as it came.
      "@typescript-eslint/only-throw-error": "off",
      "@typescript-eslint/prefer-promise-reject-errors": "off",
    },
  },
  // A function is read without scrolling.
  { files: ["src/**", "handlers/**"], rules: { "max-lines-per-function": ["error", { max: 70 }] } },
  { files: ["test/bench/**", "spec/**", "bin/**", "src/db/generate.ts"], rules: { "no-console": "off" } },
  {
    // Tests look inside answers without ceremony: every reply was held against the contract before.
    files: ["test/**"],
    rules: {
      "no-console": "off",
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/restrict-plus-operands": "off",
    },
  },
);

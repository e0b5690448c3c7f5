// Lint for what types and prettier don't see. The house's own rules (imports, sizes, banned calls) are test/house.test.ts.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["generated/", "node_modules/", ".svc/", "**/fixtures/"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js", "bin/svc.js"] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "no-console": "error",
      // A function may be async for its interface; a callback may be async where its caller ignores what it returns.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  { files: ["bench/**", "spec/**"], rules: { "no-console": "off" } },
);

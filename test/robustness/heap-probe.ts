// Loaded into a gateway by its test (NODE_OPTIONS): at SIGUSR2 it collects garbage and says what the heap still holds.
process.on("SIGUSR2", () => {
  (globalThis as unknown as { gc: () => void }).gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`heap ${heapUsed + external}\n`);
});

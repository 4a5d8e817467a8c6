/** Runs a function for each item, for at most `atOnce` items at the same time. */
export async function eachOf<T>(items: readonly T[], atOnce: number, run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const runner = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runner));
}

/**
 * Returns a function that loads a value with its first call. It stores the value and not its promise, because on
 * Workers one request cannot wait for the work of another.
 */
export function lazily<Value extends object>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Value | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
}

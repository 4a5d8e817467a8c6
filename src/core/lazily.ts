/**
 * Returns a function that loads a value with its first call. It keeps the value and not the promise of it, because a request
 * cannot wait for what another request loads.
 */
export function lazily<Value extends object>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Value | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
}

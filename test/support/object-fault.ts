/** When an object is reset by a new version: before it has done what a call asks, or after. */
export type Reset = "before" | "after";

/**
 * A namespace whose objects are reset at the first call of a method, as a deployment does: the caller gets the platform's
 * error, and the stub that it has stays broken.
 */
export function resetOnce<Objects extends object>(
  real: Objects,
  method: string,
  when: Reset,
  hasReset = () => {},
): Objects {
  let isOver = false;
  const stubOf = (stub: object) => {
    let isBroken = false;
    const reset = () => {
      isBroken = true;
      return new Error("Durable Object reset because its code was updated.");
    };
    return new Proxy(stub, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        return async (...values: unknown[]) => {
          if (isBroken) throw reset();
          const isMeant = name === method && !isOver;
          if (isMeant) isOver = true;
          if (isMeant) hasReset();
          if (isMeant && when === "before") throw reset();
          const result: unknown = await Reflect.apply(own, target, values);
          if (isMeant) throw reset();
          return result;
        };
      },
    });
  };
  return new Proxy(real, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(own, target, values);
        // `get` returns a stub, and `idFromName` an id.
        return name === "get" && result instanceof Object ? stubOf(result) : result;
      };
    },
  });
}

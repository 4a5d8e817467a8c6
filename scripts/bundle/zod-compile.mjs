/** Stands in for zod's compiler of schemas, which hangs on the names of its module. Workers allow no code made at run time. */
const leftOut = () => {
  throw new Error("zod's compiler is not in the bundle");
};

export { leftOut as compile, leftOut as withParser };
export const INVALID = Symbol.for("zod.compile.invalid");
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}

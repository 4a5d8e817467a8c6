/**
 * Replaces zod's schema compiler, which is only kept by the export of its module's names. Workers allow no code created
 * at run time.
 */
const leftOut = () => {
  throw new Error("zod's compiler is not in the bundle");
};

export { leftOut as compile, leftOut as withParser };
export const INVALID = Symbol.for("zod.compile.invalid");
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}

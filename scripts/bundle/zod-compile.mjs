/**
 * Replaces zod's schema compiler, which the bundler would keep only because zod exports its names. Workers allow no
 * code that is created at run time.
 */
const leftOut = () => {
  throw new Error("zod's compiler is not in the bundle");
};

export { leftOut as compile, leftOut as withParser };
export const INVALID = Symbol.for("zod.compile.invalid");
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}

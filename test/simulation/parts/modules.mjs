import { registerHooks } from "node:module";

/** The modules of the runtime that the Worker imports. */
const modules = {
  "cloudflare:workers": `export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }`,
  "cloudflare:sockets": `export function connect() { throw new Error("There are no sockets here"); }`,
};

/** Lets plain Node load a Worker. */
export function installModules() {
  registerHooks({
    resolve(name, context, next) {
      const source = modules[name];
      return source === undefined
        ? next(name, context)
        : { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
    },
  });
}

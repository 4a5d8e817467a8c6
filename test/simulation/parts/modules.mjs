import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";
import { transformSync } from "esbuild";
import { memoryOf, recordCollections } from "./memory.mjs";

const require = createRequire(import.meta.url);

class DurableObject {
  constructor(ctx, env) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The modules of the runtime that a Worker imports. */
const modules = {
  "cloudflare:workers": { DurableObject },
  "cloudflare:sockets": {
    connect() {
      throw new Error("There are no sockets here");
    },
  },
};

/** Compiles a bundled Worker that is not minified. */
export function compileWorker(file) {
  return workerOf(transformSync(readFileSync(file, "utf8"), { format: "cjs", target: "node24" }).code);
}

/**
 * Compiles a Worker that is one CommonJS module. Each call of the result opens its modules for one isolate, and they remember
 * nothing. Modules that were closed are wiped and opened again, because code that has run for a while is much faster than
 * new code.
 */
export function workerOf(code) {
  const names = namesIn(code);
  const script = new Script(wrapped(code, names), { filename: "worker.js" });
  const closed = [];
  return (time) => {
    // What an isolate still runs when it dies is over within the same instant.
    const index = closed.findIndex((other) => other.time !== time || other.at < time.now);
    const [old] = index < 0 ? [] : closed.splice(index, 1);
    old?.modules.wipe();
    const modules = old?.modules ?? evaluate(script, names);
    return { worker: modules.worker, close: () => closed.push({ modules, time, at: time.now }) };
  };
}

/** The top-level variables of a module. esbuild declares each of them at the beginning of a line. */
function namesIn(code) {
  const declared = [...code.matchAll(/^var ([\w$]+(?:, [\w$]+)*)(?: =|;)/gm)].flatMap(([, names]) => names.split(", "));
  return [...new Set(declared)];
}

/** Makes a function of a module, which exports the access to its variables as well. */
function wrapped(code, names) {
  const values = names.map((name) => `typeof ${name} === "undefined" ? undefined : ${name}`);
  const cases = names.map((name, index) => `case ${index}: ${name} = value; break;`);
  return `(function (require, module, exports, forgets) {${keepingForgetful(code)}
    module.exports.variables = {
      read: () => [${values.join(", ")}],
      write: (index, value) => { switch (index) { ${cases.join(" ")} } },
    };
  })`;
}

/** `lazily` remembers in a variable of its own, which nothing else reaches. */
const lazily = /(function lazily\(\w+\) \{\s*let (\w+);)/;

function keepingForgetful(code) {
  if (!lazily.test(code)) throw new Error("The bundle has no function lazily, or it remembers otherwise");
  return code.replace(lazily, "$1 forgets.push(() => { $2 = undefined; });");
}

function evaluate(script, names) {
  const module = { exports: {} };
  const forgets = [];
  const collections = recordCollections(() => {
    script.runInThisContext()((name) => modules[name] ?? require(name), module, module.exports, forgets);
    const { read } = module.exports.variables;
    // Modules that are evaluated with their first use would be new again after each wipe.
    for (const [index, init] of read().entries()) if (names[index].startsWith("init_")) init();
  });
  const wipe = memoryOf(module.exports.variables, { collections, forgets });
  return { worker: { ...module.exports }, wipe };
}

import { fileURLToPath } from "node:url";

const source = (path) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const [early, main, home, pageWords] = ["early.ts", "main.tsx", "routes/home/page.tsx", "words/words.ts"].map(source);

/**
 * Puts what the first screen needs into few files, and names all of them in the page, so that the browser requests them
 * at once: the requests for data (early), the code of all pages (common), the code that shows the data (main), and
 * their style.
 */
export function firstScreen() {
  return {
    name: "petrel: the first screen in few files",
    apply: "build",
    config: () => ({
      build: {
        rolldownOptions: {
          output: { codeSplitting: { groups: [group("early", isEarly), group("common", isCommon)] } },
        },
      },
    }),
    transformIndexHtml: {
      order: "post",
      handler(page, { bundle }) {
        const chunk = Object.values(bundle).find(({ moduleIds }) => moduleIds?.includes(main));
        if (chunk === undefined) throw new Error("There is no chunk of main.tsx");
        if ([main, home].some((start) => known.get(start).has(pageWords)))
          throw new Error("The first screen has the texts of words/first.ts alone");
        const scripts = chunk.imports.filter((file) => !page.includes(file));
        const styles = scripts.flatMap((file) => [...bundle[file].viteMetadata.importedCss]);
        const tags = [
          // Loaded by its own tag, because the browser's load event would not wait for a script that another script
          // loads.
          { tag: "script", attrs: { type: "module", src: `/console/${chunk.fileName}`, crossorigin: true } },
          ...styles.map((file) => link("stylesheet", file)),
          ...scripts.map((file) => link("modulepreload", file)),
        ];
        return { html: withScriptLast(page), tags: tags.map((tag) => ({ ...tag, injectTo: "head" })) };
      },
    },
  };
}

/**
 * Moves the script that requests data to after the element of the console. The script is asynchronous: it waits neither
 * for styles nor for the end of the page, so only elements before it certainly exist when it runs.
 */
function withScriptLast(page) {
  const [script] = /\s*<script async[^>]*><\/script>/.exec(page) ?? [];
  if (script === undefined) throw new Error("There is no asynchronous script in index.html");
  // Browsers request asynchronous scripts last, unless a priority is set.
  const first = script.replace(" async", ' async fetchpriority="high"');
  return page.replace(script, "").replace(/\s*<\/body>/, `${first}$&`);
}

const link = (rel, file) => ({ tag: "link", attrs: { rel, href: `/console/${file}`, crossorigin: true } });

/**
 * Defines a file with the modules for which the condition holds. A module that two groups match is in the first one.
 */
const group = (name, has) => ({
  name: (id, modules) => (has(id, modules) ? name : null),
  priority: name === "early" ? 1 : 0,
});

/** The first bytes request data. They contain nothing that shows it. */
const isEarly = (id, modules) =>
  loadedWith(early, modules).has(id) && (id.endsWith("/queryOptions.js") || !showing.test(id));
const showing = /\/(react|react-query)\/|Observer\.js$|\/hydration\.js$/;

/** The chunks that all pages need, and those that the first page shares with others. */
const isCommon = (id, modules) =>
  id !== main &&
  !later.test(id) &&
  (loadedWith(main, modules).has(id) || (!id.includes("/routes/home/") && loadedWith(home, modules).has(id)));

/**
 * Parts of packages that only other pages use. The packages export them from the same module as the parts that the
 * first page uses.
 */
const later = /\/(infinite\w+|useInfiniteQuery|mutationObserver|useMutation)\.js$/i;

const known = new Map();

/** Returns the modules that a module needs at once. */
function loadedWith(start, modules) {
  const found = known.get(start) ?? new Set([start]);
  if (!known.has(start))
    for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  known.set(start, found);
  return found;
}

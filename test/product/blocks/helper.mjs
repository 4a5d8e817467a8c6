import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fits } from "./fits.mjs";

const { BASE, SECRET } = process.env;
const read = (file) => readFileSync(file, "utf8");
const [, , verb, ...given] = process.argv;

/** What the script of a page calls between its blocks. */
const verbs = {
  /** Prints the value at a path of the last answer. */
  answer(path) {
    const value = path
      .split(/[.[\]]+/)
      .filter(Boolean)
      .reduce((at, name) => at?.[name], JSON.parse(read("answer")));
    if (value === undefined) throw new Error(`The answer has no ${path}: ${read("answer")}`);
    console.log(value);
  },

  /** Compares the last answer with what the page shows. */
  fits(file) {
    const fault = fits(JSON.parse(read(file)), JSON.parse(read("answer")));
    if (fault) throw new Error(`${fault}\nThe answer is ${read("answer")}`);
  },

  /** Looks for what the page shows in what was printed. */
  says(file, output) {
    const squeeze = (text) => text.replaceAll(/\s+/g, " ").trim();
    const pattern = squeeze(read(file))
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
    if (!new RegExp(pattern).test(squeeze(read(output)))) throw new Error(`It printed:\n${read(output)}`);
  },

  /** Prints what a template says with some data. */
  async preview(file, data) {
    const template = await call("POST", "/templates", {
      name: file,
      type: "TRANSACTIONAL",
      from: `hello@${process.env.DOMAIN}`,
      subject: "Preview",
      body: read(file),
    });
    const { text } = await call("POST", `/templates/${template.id}/preview`, { data: JSON.parse(data) });
    console.log(text);
  },

  /** Connects to each server of a configuration, and asks for its tools. */
  async connects(file) {
    const { mcpServers, servers = mcpServers } = JSON.parse(read(file));
    for (const { url, headers } of Object.values(servers)) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      const { result } = await (await fetch(url, { method: "POST", headers, body })).json();
      if (!result?.tools.length) throw new Error(`${url} has no tools`);
    }
  },

  /** Looks at the scripts of a web page: those of this installation exist as their hash says, and inline ones can be read. */
  async page(file) {
    for (const [, attributes, code] of read(file).matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
      new Function(code);
      const [, source] = /src="([^"]+)"/.exec(attributes) ?? [];
      if (!source) continue;
      const [, integrity] = /integrity="sha384-([^"]+)"/.exec(attributes) ?? [];
      const script = await (await fetch(source)).text();
      if (createHash("sha384").update(script).digest("base64") !== integrity)
        throw new Error(`${source} has another hash`);
    }
  },
};

async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${SECRET}` };
  const response = await fetch(BASE + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

await verbs[verb](...given);

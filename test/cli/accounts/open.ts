import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Account, Person } from "../../../clients/cli/src/moving/account";
import { convert, type Language } from "../../../clients/cli/src/moving/languages/language";
import { readAccount, sources } from "../../../clients/cli/src/moving/read";

export type Routes = Record<string, unknown>;

/** A service that answers by a table of what is asked: anything else is a 404. */
export function stub(routes: Routes): typeof fetch {
  return async (input, { method = "GET" } = {}) => {
    const url = new URL(String(input));
    const path = url.hostname === "files.test" ? url.href : url.pathname + url.search;
    const answer = routes[method === "GET" ? path : `${method} ${path}`];
    if (answer === undefined) return new Response(`No ${method} ${path}`, { status: 404 });
    return typeof answer === "string" ? new Response(answer) : Response.json(answer);
  };
}

/** Reads an account from a service's answers and from files, by their names. */
export async function openAccount(from: string, routes: Routes, files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "petrel-moving-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const source = sources[from]?.();
  if (!source) throw new Error(`There is no source ${from}`);
  const environment = source.api && Object.keys(routes).length > 0 ? { [source.api.keyName]: "user:key-us1" } : {};
  const account = await readAccount(source, {
    ...{ files: Object.keys(files).map((name) => join(folder, name)), environment },
    ...{ url: from === "listmonk" ? "http://lists.test" : undefined, fetch: stub(routes) },
  });
  return { account, templates: convertedOf(account, source.language) };
}

/** The templates as they are here, or the faults of those that are not taken. */
function convertedOf({ templates }: Account, language: Language) {
  return templates.map((template) => {
    const [subject, body] = [template.subject, template.body].map((text) => convert(language, text, template));
    const faults = [subject, body].flatMap((part) => part?.faults ?? []).map(({ line, tag }) => `${line}: ${tag}`);
    return faults.length > 0 ? { name: template.name, faults } : [template.name, subject?.text, body?.text];
  });
}

/** Each person in one line: what they are, their times by the minute, their topics, their data. */
export function peopleOf({ people }: Account): Record<string, unknown> {
  return Object.fromEntries([...people.values()].map((person) => [person.email, [person.state, ...detailsOf(person)]]));
}

function detailsOf({ createdAt, confirmedAt, optedOutAt, topics, data }: Person) {
  const times = Object.entries({ createdAt, confirmedAt, optedOutAt }).filter(([, time]) => time !== undefined);
  return [...times.map(([name, time]) => `${name} ${time?.slice(0, 16)}`), topics ?? "default", data];
}

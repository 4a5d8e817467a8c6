import type { Petrel } from "petrel-client";
import { Refusal } from "../command";
import type { Account, OldTemplate, OldTopic } from "./account";
import { keyHere } from "./contact-files";
import { convert, type Fault, type Language } from "./languages/language";

export interface PlannedTemplate {
  template: OldTemplate;
  /** Absent when the template has faults, or when the project already has one with its name. */
  converted?: { subject: string; body: string };
  faults: (Fault & { part: "subject" | "body" })[];
}

/** The effects of an import. */
export interface Plan {
  /** The slugs of the project's topics, by name. */
  slugs: Map<string, string>;
  newTopics: OldTopic[];
  templates: PlannedTemplate[];
  /** The keys of people's data here. */
  fields: string[];
  /** Keys with another name here, by their original name. */
  renamed: Map<string, string>;
}

const mostTopics = 50;

/** Compares an account with the project. Throws Refusal for anything beyond the project's limits. */
export async function planImport(petrel: Petrel, account: Account, language: Language): Promise<Plan> {
  const slugs = new Map<string, string>();
  for await (const { name, slug } of petrel.topics.list({ limit: 50 })) slugs.set(name, slug);
  const newTopics = [...account.topics.values()].filter(({ name }) => !slugs.has(name));
  const count = slugs.size + newTopics.length;
  if (count > mostTopics)
    throw new Refusal(`There would be ${count} topics, and a project has at most ${mostTopics}. Nothing was changed`);
  const taken = new Set<string>();
  for await (const { name } of petrel.templates.list({ pageSize: 100 })) taken.add(name);
  const keys = new Set<string>();
  for (const { data } of account.people.values()) for (const key of Object.keys(data)) keys.add(key);
  return {
    slugs,
    newTopics,
    templates: account.templates.map((template) => planTemplate(template, language, taken)),
    fields: [...keys].map(keyHere).toSorted(),
    renamed: new Map([...keys].flatMap((key) => (keyHere(key) === key ? [] : [[key, keyHere(key)]]))),
  };
}

function planTemplate(template: OldTemplate, language: Language, taken: Set<string>): PlannedTemplate {
  const [subject, body] = [template.subject, template.body].map((text) => convert(language, text, template));
  const faults = [
    ...(subject?.faults ?? []).map((fault) => ({ ...fault, part: "subject" as const })),
    ...(body?.faults ?? []).map((fault) => ({ ...fault, part: "body" as const })),
  ];
  const isNew = !taken.has(template.name);
  taken.add(template.name);
  if (!subject || !body || faults.length > 0 || !isNew) return { template, faults };
  return { template, faults, converted: { subject: subject.text, body: body.text } };
}

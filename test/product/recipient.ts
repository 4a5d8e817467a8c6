import { vi } from "vitest";
import type { Product } from "./product";

/** Calls the product as its user does; throws when it refuses. */
async function ask<T>(base: string, token: string, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  // What each of the calls below answers.
  return (text === "" ? null : JSON.parse(text)) as T;
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** A page that a recipient sees, and the language in which the browser asks for it. */
export interface Seen {
  name: string;
  path: string;
  language: string;
}

/** Somebody alone in a project of their own, with the links of two mails, of which one is of a topic. */
export interface Recipient {
  locale: string;
  id: string;
  topics: string[];
  paths: Record<"unsubscribe" | "subscribe" | "manage" | "confirm" | "unsubscribeTopic", string>;
  call: Call;
}

/**
 * Takes a recipient to every page there is, in every state: `visit` is called at each. With topics and without them, paused,
 * unsubscribed, confirmed, moved to another address, erased.
 */
export async function walkPages(
  product: Product,
  { locale, id, topics, paths, call }: Recipient,
  visit: (seen: Seen) => Promise<void>,
): Promise<void> {
  const see = (name: string, path: string) => visit({ name, path, language: locale });
  const press = async (path: string, form = "") => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const response = await fetch(product.base + path, { method: "POST", headers, body: form });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status}`);
  };

  await see("unsubscribe-topic", paths.unsubscribeTopic);
  await see("manage-topics", paths.manage);
  await press(paths.unsubscribeTopic, "List-Unsubscribe=One-Click");
  await see("unsubscribe-topic-done", paths.unsubscribeTopic);
  await press(paths.unsubscribeTopic, "action=snooze&duration=3m");
  await see("manage-topics-paused", paths.manage);
  await call("PATCH", `/contacts/${id}`, { subscribed: true });
  for (const topic of topics) await call("DELETE", `/topics/${topic}`);

  await see("unsubscribe", paths.unsubscribe);
  await see("manage-subscribed", paths.manage);
  await see("subscribe-done", paths.subscribe);
  await press(paths.unsubscribe, "action=snooze&duration=3m");
  await see("unsubscribe-paused", paths.unsubscribe);
  await see("manage-paused", paths.manage);
  await press(paths.unsubscribe);
  await see("unsubscribe-done", paths.unsubscribe);
  await see("manage-unsubscribed", paths.manage);
  await see("subscribe", paths.subscribe);
  await see("confirm", paths.confirm);
  await press(paths.confirm);
  await see("confirm-done", paths.confirm);
  await call("PATCH", `/contacts/${id}`, { email: `moved-${Date.now()}@example.com` });
  await see("confirm-void", paths.confirm);
  await call("DELETE", `/contacts/${id}`);
  // The project has no locale, and so the browser says the language of the last two.
  await see("gone", paths.unsubscribe);
  await see("bad-link", "/manage/bad");
}

/**
 * The HTML of the mail with this subject, as soon as it is sent. It is asked of the email's record, because the tests of the
 * outbox empty that at any moment.
 */
export function mailWith(product: Pick<Product, "base" | "secretKey">, to: string, subject: string): Promise<string> {
  const get = <T>(path: string) => ask<T>(product.base, product.secretKey, "GET", path);
  return vi.waitFor(
    async () => {
      const { data } = await get<{ data: { id: string; subject: string; sentAt: string | null }[] }>(
        `/emails?to=${to}`,
      );
      const sent = data.find((email) => email.subject === subject && email.sentAt !== null);
      if (!sent) throw new Error("The mail is not sent yet");
      return (await get<{ html: string }>(`/emails/${sent.id}/content`)).html;
    },
    { timeout: 15_000, interval: 50 },
  );
}

function pathIn(html: string, page: string): string {
  return new RegExp(`/${page}/[\\w-]+`).exec(html)?.[0] ?? "";
}

/** Makes a recipient with this locale. Several may be made at once: most of it is waiting for mail. */
export async function newRecipient({ base, adminToken }: Product, locale: string): Promise<Recipient> {
  const operator: Call = (method, path, body) => ask(base, adminToken, method, path, body);
  const made = await operator<{ project: { id: string }; keys: { secret: string } }>("POST", "/admin/projects", {
    name: `Recipient ${locale}`,
  });
  const secretKey = made.keys.secret;
  const call: Call = (method, path, body) => ask(base, secretKey, method, path, body);
  const domain = `${locale}.recipient.test`;
  await call("POST", "/domains", { domain });
  const newTemplate = (fields: { subject: string; body: string; type?: string; topicId?: string }) =>
    call<{ id: string }>("POST", "/templates", { name: fields.subject, from: `news@${domain}`, ...fields });

  const body = "{{ unsubscribeUrl }} {{ subscribeUrl }} {{ manageUrl }} {{ confirmUrl }}";
  const links = await newTemplate({ subject: "Links", body, type: "TRANSACTIONAL" });
  await operator("PATCH", `/admin/projects/${made.project.id}`, { confirmationTemplateId: links.id });
  const to = `augusta.ada.king-noel.countess-of-lovelace-${locale}-${Date.now()}@example.com`;
  const { id } = await call<{ id: string }>("POST", "/contacts", { email: to, confirm: true, data: { locale } });
  await call("PATCH", `/contacts/${id}`, { subscribed: true });

  const description = "Vielleicht einmal im Monat, nie mehr als vierzig Zeilen";
  const topics = [
    await call<{ id: string }>("POST", "/topics", { name: "Produktneuigkeiten und Wartungstermine", description }),
    await call<{ id: string }>("POST", "/topics", { name: "News", defaultSubscribed: false }),
  ].map((topic) => topic.id);
  const ofTopic = await newTemplate({ subject: "Of a topic", body: "<p>News</p>", topicId: topics[0] ?? "" });
  await call("POST", "/v1/send", { to, template: ofTopic.id });

  const mail = (subject: string) => mailWith({ base, secretKey }, to, subject);
  const [linked, topical] = await Promise.all([mail("Links"), mail("Of a topic")]);
  // The topic can go too then.
  await call("DELETE", `/templates/${ofTopic.id}`);
  const [unsubscribe, subscribe] = [pathIn(linked, "unsubscribe"), pathIn(linked, "subscribe")];
  const [manage, confirm] = [pathIn(linked, "manage"), pathIn(linked, "confirm")];
  const unsubscribeTopic = pathIn(topical, "unsubscribe");
  return { locale, id, topics, call, paths: { unsubscribe, subscribe, manage, confirm, unsubscribeTopic } };
}

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

/** A page that a recipient sees, and the language in which the browser asks for it. */
export interface Seen {
  name: string;
  path: string;
  language: string;
}

let counter = 0;

/**
 * Takes a recipient with this locale to every page there is, in every state: `visit` is called at each. Subscribed,
 * without a topic, paused, unsubscribed, confirmed, moved to another address, erased.
 */
export async function walkPages(product: Product, locale: string, visit: (seen: Seen) => Promise<void>): Promise<void> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(product.base, product.secretKey, method, path, body);
  const see = (name: string, path: string) => visit({ name, path, language: locale });
  const press = async (path: string, form = "") => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const response = await fetch(product.base + path, { method: "POST", headers, body: form });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status}`);
  };
  const paths = await mailTo(product, locale);

  await see("unsubscribe", paths.unsubscribe);
  await see("manage-subscribed", paths.manage);
  await see("subscribe-done", paths.subscribe);
  await withTopics(product, async (topicId) => {
    const { unsubscribe } = await mailOfTopic(product, paths.to, topicId);
    await see("unsubscribe-topic", unsubscribe);
    await see("manage-topics", paths.manage);
    await press(unsubscribe, "List-Unsubscribe=One-Click");
    await see("unsubscribe-topic-done", unsubscribe);
    await press(unsubscribe, "action=snooze&duration=3m");
    await see("manage-topics-paused", paths.manage);
    await call("PATCH", `/contacts/${paths.id}`, { subscribed: true });
  });
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
  await call("PATCH", `/contacts/${paths.id}`, { email: `moved-${Date.now()}@example.com` });
  await see("confirm-void", paths.confirm);
  await call("DELETE", `/contacts/${paths.id}`);
  // The project has no locale, and so the browser says the language of the last two.
  await see("gone", paths.unsubscribe);
  await see("bad-link", "/manage/bad");
}

/** Topics exist as long as this needs them: the pages of everybody in the project list them. */
async function withTopics(product: Product, use: (id: string) => Promise<void>): Promise<void> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(product.base, product.secretKey, method, path, body);
  const description = "Vielleicht einmal im Monat, nie mehr als vierzig Zeilen";
  const made = [
    await call<{ id: string }>("POST", "/topics", { name: "Produktneuigkeiten und Wartungstermine", description }),
    await call<{ id: string }>("POST", "/topics", { name: "News", defaultSubscribed: false }),
  ];
  try {
    await use(made[0]?.id ?? "");
  } finally {
    for (const { id } of made) await call("DELETE", `/topics/${id}`);
  }
}

/** The links of a mail of a topic; its template is gone then, so that the topic can go too. */
async function mailOfTopic(product: Product, to: string, topicId: string): Promise<{ unsubscribe: string }> {
  const call = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(product.base, product.secretKey, method, path, body);
  const made = { name: "Of a topic", subject: "Of a topic", body: "<p>News</p>", from: "news@petrel.test", topicId };
  const template = await call<{ id: string }>("POST", "/templates", made);
  await call("POST", "/v1/send", { to, template: template.id });
  const html = await mailWith(product, to, made.subject);
  await call("DELETE", `/templates/${template.id}`);
  return { unsubscribe: pathIn(html, "unsubscribe") };
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

/** Mails somebody all links, and finds them in what arrives. */
async function mailTo(product: Product, locale: string) {
  const call = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(product.base, product.secretKey, method, path, body);
  const to = `augusta.ada.king-noel.countess-of-lovelace-${locale}-${++counter}-${Date.now()}@example.com`;
  const body = "{{ unsubscribeUrl }} {{ subscribeUrl }} {{ manageUrl }} {{ confirmUrl }}";
  const made = { name: "All links", subject: "Links", body, from: "news@petrel.test", type: "TRANSACTIONAL" };
  const template = await call<{ id: string }>("POST", "/templates", made);
  const operator = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(product.base, product.adminToken, method, path, body);
  const { data } = await operator<{ data: { id: string }[] }>("GET", "/admin/projects");
  await operator("PATCH", `/admin/projects/${data.at(-1)?.id}`, { confirmationTemplateId: template.id });
  // The key's isolate knows the project as it was for a while.
  const { id } = await vi.waitFor(
    () => call<{ id: string }>("POST", "/contacts", { email: to, confirm: true, data: { locale } }),
    { timeout: 40_000, interval: 500 },
  );
  const html = await mailWith(product, to, made.subject);
  await call("PATCH", `/contacts/${id}`, { subscribed: true });
  const [unsubscribe, subscribe] = [pathIn(html, "unsubscribe"), pathIn(html, "subscribe")];
  const [manage, confirm] = [pathIn(html, "manage"), pathIn(html, "confirm")];
  return { id, to, unsubscribe, subscribe, manage, confirm };
}

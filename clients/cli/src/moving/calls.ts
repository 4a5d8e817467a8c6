import { type Contact, type Petrel, RateLimitError } from "petrel-client";

const atOnce = 4;
const emailsPerCall = 500;
export const suppressionsPerCall = 1_000;

/** Makes a call that can be repeated, and repeats it when the service asks for a slower pace. */
export async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? 1) * 1000));
    }
  }
}

/** Works through items, a few at once. */
export async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await patiently(() => work(item));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Returns which of the addresses are contacts. */
export async function findKnown(petrel: Petrel, emails: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  await forEachOf(pagesOf(emails, emailsPerCall), async (page) => {
    const { found } = await petrel.contacts.lookUp({ emails: page });
    for (const email of found) known.add(email);
  });
  return known;
}

/** Calls a function with each contact that has one of the addresses. */
export async function eachContact(
  petrel: Petrel,
  emails: readonly string[],
  take: (contact: Contact) => void,
): Promise<void> {
  await forEachOf(pagesOf(emails, emailsPerCall), async (page) => {
    const { contacts = [] } = await petrel.contacts.lookUp({ emails: page }, { expand: "contacts" });
    for (const contact of contacts) take(contact);
  });
}

export function pagesOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

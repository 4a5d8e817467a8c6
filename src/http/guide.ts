import { calls } from "./guide/calls";
import { contacts } from "./guide/contacts";
import { sentMail, templates } from "./guide/mail";
import { webPages } from "./guide/web-pages";
import { webhooks } from "./guide/webhooks";
import { workflows } from "./guide/workflows";

const introduction =
  "One API for transactional email, campaigns, workflows, contacts, events and segments. This page is the guide and the reference.";

/** Returns the introduction of the OpenAPI document, in Markdown: everything that is not about a single operation. */
export function guide(origin: string, { readsCopies }: { readsCopies: boolean }): string {
  const sections = [
    introduction,
    calls(origin, { readsCopies }),
    templates,
    workflows(origin),
    contacts(origin),
    webhooks,
    sentMail,
    webPages(origin),
  ];
  return `${sections.join("\n\n")}\n`;
}

import type { Mistake } from "./mistake";

const mail = { to: "ada@example.com", from: "hello@{domain}", subject: "Hi", body: "<p>Hi</p>" };

function send(fields: Record<string, unknown>, words: [names: string, saw: string, says: string]): Mistake {
  const [names, saw, says] = words;
  return { call: "POST /v1/send", body: { ...mail, ...fields }, names, saw, says };
}

/** The mail without some of its fields. */
const without = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, undefined]));

const file = { filename: "a.txt", content: "aGk=", contentType: "text/plain" };

/** Mistakes in `POST /v1/send`, mostly by users of Resend, SendGrid, Postmark, Mailgun, Brevo, Loops and Plunk. */
export const mistakesInSending: Mistake[] = [
  send({ ...without("body"), html: "<p>Hi</p>" }, ['"html"', "<p>Hi</p>", "Use body"]),
  send({ text: "Hi" }, ['"text"', '"received":"Hi"', "made from body"]),
  send({ cc: "bob@example.com" }, ['"cc"', "bob@example.com", "put the address into to"]),
  send({ bcc: ["bob@example.com"] }, ['"bcc"', '"received":["bob@example.com"', "put the address into to"]),
  send({ replyTo: "bob@example.com" }, ['"replyTo"', "bob@example.com", "Use reply"]),
  send({ reply_to: "bob@example.com" }, ['"reply_to"', "bob@example.com", "Use reply"]),
  send({ scheduled_at: "in 1 hour" }, ['"scheduled_at"', "in 1 hour", "Use scheduledAt"]),
  send({ sendAt: "2030-01-01T00:00:00Z" }, ['"sendAt"', "2030-01-01", "Use scheduledAt"]),
  send({ scheduledAt: "tomorrow" }, ['"scheduledAt"', '"received":"tomorrow"', "such as 2026-01-31T09:00:00Z"]),
  send({ scheduledAt: "2199-01-01T00:00:00Z" }, ['"scheduledAt"', "2199", "30 days"]),
  send({ templateId: "x" }, ['"templateId"', '"received":"x"', "Use template"]),
  send({ template_id: "d-1" }, ['"template_id"', '"received":"d-1"', "Use template"]),
  send({ template: "Welcome" }, ['"template"', '"received":"Welcome"', "GET /templates?search="]),
  send({ template: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10" }, [
    "template",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    "GET /templates",
  ]),
  send({ ...without("to"), personalizations: [{ to: [{ email: "a@example.com" }] }] }, [
    '"personalizations"',
    '"received":[{"to"',
    "Use to, subject and body",
  ]),
  send({ ...without("body"), content: [{ type: "text/html", value: "x" }] }, [
    '"content"',
    '"received":[{',
    "Use body",
  ]),
  send({ ...without("to", "body", "subject"), HtmlBody: "<p>x</p>", To: "a@example.com" }, [
    '"HtmlBody"',
    "You sent To",
    "Use body",
  ]),
  send({ ...without("body"), htmlContent: "<p>x</p>" }, ['"htmlContent"', "<p>x</p>", "Use body"]),
  send({ sender: { email: "a@example.com" } }, ['"sender"', '"received":{"email"', "Use from"]),
  send({ ...without("subject", "body"), transactionalId: "cl1" }, ['"transactionalId"', "cl1", "Use template"]),
  send({ ...without("to"), email: "ada@example.com" }, ['"email"', "ada@example.com", "Use to"]),
  send({ tags: ["welcome"] }, ['"tags"', '"received":["welcome"', "set a header of your own"]),
  send({ type: "markdown" }, ['"type"', '"received":"markdown"', "convert it to HTML"]),
  send({ type: "MARKETING" }, ['"type"', '"received":"MARKETING"', "a template of that type"]),
  send({ to: "Ada <ada@example.com>" }, [
    '"to"',
    "Ada <ada@example.com>",
    'Must be the address alone, without a name: "ada@example.com"',
  ]),
  send({ to: "a@example.com, b@example.com" }, ['"to"', "a@example.com, b@example.com", "send them as a list"]),
  send({ to: "nope" }, ['"to"', '"received":"nope"', "such as ada@example.com"]),
  send({ to: [] }, ['"to"', '"received":[]', "At least one recipient is required"]),
  send({ to: 42 }, ['"to"', '"received":42', "Must be an email address or { name, email }"]),
  send({ from: "me@acme.com" }, ["sender domain", "acme.com", "POST /domains"]),
  send({ from: "me@gmail.com" }, ["sender domain", "gmail.com", "a domain that you own"]),
  send(without("from"), ['"from"', '"code":"required"', "an address of a verified domain"]),
  send({ subject: "a\nb" }, ['"subject"', "a\\nb", "on one line"]),
  send({ subject: "x".repeat(1000) }, ['"subject"', '"code":"too_big"', "998 characters"]),
  send({ body: "" }, ['"body"', '"received":""', ">=1 characters"]),
  send({ body: "<p>{{ name</p>" }, ['"body"', "{{ name", "(line 1, column"]),
  send({ body: "{% include 'x' %}" }, ['"body"', "include", "(line 1, column"]),
  send({ subscribed: "yes" }, ['"subscribed"', '"received":"yes"', "boolean"]),
  send({ data: [] }, ['"data"', "array", "object"]),
  send({ attachments: [{ ...file, path: "https://example.com/a.txt" }] }, [
    "attachments.0.path",
    "https://example.com/a.txt",
    "base64",
  ]),
  send({ attachments: [{ ...file, content: "***" }] }, ["attachments.0.content", "***", "base64"]),
  send({ attachments: [{ ...file, contentType: undefined }] }, [
    "attachments.0.contentType",
    '"code":"required"',
    "such as application/pdf",
  ]),
  send({ attachments: [{ ...file, disposition: "inline" }] }, [
    "attachments.0.contentId",
    '"code":"required"',
    "cid:<name>",
  ]),
  send({ headers: { Bcc: "bob@example.com" } }, ["headers.Bcc", '"received":"bob@example.com"', "cannot be replaced"]),
  ...["variables", "dataVariables", "templateModel", "TemplateModel", "template_data", "dynamic_template_data"].map(
    (name) => send({ [name]: { firstName: "Ada" } }, [`"${name}"`, '"received":{"firstName"', "Use data"]),
  ),
  ...["substitutions", "message_data", "mergeVars", "merge_fields", "params", "props"].map((name) =>
    send({ [name]: { firstName: "Ada" } }, [`"${name}"`, '"received":{"firstName"', "Use data"]),
  ),
  send({ send_at: "2030-01-01T00:00:00Z" }, ['"send_at"', "2030-01-01", "Use scheduledAt"]),
  send({ idempotencyKey: "order-7" }, ['"idempotencyKey"', '"received":"order-7"', "header Idempotency-Key"]),
  send({ topicId: "news" }, ['"topicId"', '"received":"news"', "belongs to a template"]),
  send({ previewText: "Look" }, ['"previewText"', '"received":"Look"', "belongs to a template"]),
  send({ metadata: { order: 7 } }, ['"metadata"', '"received":{"order"', "put what the mail shows into data"]),
  send({ stream: "broadcast" }, ['"stream"', '"received":"broadcast"', "the type of the template"]),
  send({ body: "{{#if plan}}Hi{{/if}}" }, ['"body"', "#if", "{% if"]),
];

import { z } from "zod";
import { Warnings } from "../../core/warning";

const example = {
  id: "0199a0f2-6c8a-7a2e-8f10-1d2c3b4a5968",
  emailId: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2",
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  to: "ada@example.com",
  from: "Acme <hello@acme.example>",
  replyTo: null,
  subject: "Welcome, Ada",
  headers: [["Subject", "Welcome, Ada"]],
  html: "<h1>Hello Ada</h1>",
  text: "Hello Ada",
  attachments: [],
  createdAt: "2026-01-31T09:00:00.120Z",
};

export const OutboxMessage = z
  .object({
    id: z.string(),
    emailId: z.string(),
    projectId: z.string().nullable().meta({
      description: "The project that sent the mail. Null for mail of the installation itself, such as a sign-in link.",
    }),
    to: z.string(),
    from: z.string(),
    replyTo: z.string().nullable(),
    subject: z.string(),
    headers: z
      .array(z.array(z.string()))
      .meta({ description: "Pairs of name and value, in the order of the MIME source." }),
    html: z.string().nullable(),
    text: z.string().nullable(),
    attachments: z.array(
      z.object({
        filename: z.string().nullable(),
        contentType: z.string(),
        disposition: z.string().nullable(),
        contentId: z.string().nullable(),
        size: z.number().int(),
      }),
    ),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "OutboxMessage", example });

export const OutboxMessages = z
  .object({ data: z.array(OutboxMessage), warnings: Warnings })
  .meta({ id: "OutboxMessages", example: { data: [example] } });

export const OutboxMessageWithSource = OutboxMessage.extend({
  raw: z.string().meta({ description: "The MIME source." }),
}).meta({
  id: "OutboxMessageWithSource",
  example: { ...example, raw: "From: Acme <hello@acme.example>\r\nTo: ada@example.com\r\n…" },
});

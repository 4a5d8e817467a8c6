import { type ForeignName, foreign } from "../../core/foreign-names";

/** The wrappers that other APIs put around a whole email, and their names for its parts. */
export const foreignBodiesOfSend: ForeignName[] = [
  {
    name: "personalizations",
    advice: "Use to, subject and body, at the top level: a call is one email, to one recipient or to a list",
  },
  ...foreign(["message", "Messages", "Message", "Content"], {
    advice: "Use to, from, subject and body, at the top level: a call is one email",
  }),
  ...foreign(["content", "htmlContent", "HtmlBody", "htmlBody", "html_body"], {
    standsFor: "body",
    advice: "Use body, which is HTML, as one string",
  }),
  ...foreign(["TextBody", "textBody", "textContent", "text_body"], {
    advice: "Leave it out: the plain text is made from body",
  }),
  ...foreign(["email", "recipient", "recipients", "identifiers", "Destination"], {
    standsFor: "to",
    advice: "Use to, an address or a list of them",
  }),
  ...foreign(["sender", "from_email", "fromEmail", "fromName", "from_name"], {
    advice: 'Use from, an address or { "name", "email" }',
  }),
  ...foreign(["transactionalId", "transactional_message_id", "TemplateId", "TemplateAlias", "template_name"], {
    standsFor: "template",
    advice: "Use template, the template's id",
  }),
  ...foreign(["Cc", "Bcc"], { advice: "Each recipient gets an email of their own: put the address into to" }),
  ...foreign(["ReplyTo"], { standsFor: "reply", advice: "Use reply, an address" }),
];

import { type ForeignName, foreign } from "../foreign-names";

/** Names in other APIs for the content of a template or a campaign. */
export const foreignNamesOfContent: ForeignName[] = [
  ...foreign(["html", "htmlBody", "HtmlBody", "htmlContent", "html_content", "content"], {
    standsFor: "body",
    advice: "Use body, which is HTML",
  }),
  ...foreign(["text", "plainText", "plain_text", "plain_content", "TextBody"], {
    advice: "Leave it out: the plain text is made from body",
  }),
  ...foreign(["reply_to", "reply", "ReplyTo"], { standsFor: "replyTo", advice: "Use replyTo, an address" }),
  ...foreign(["from_name", "sender_name"], { standsFor: "fromName", advice: "Use fromName" }),
  ...foreign(["sender", "from_email", "fromEmail"], { standsFor: "from", advice: "Use from, an address" }),
];

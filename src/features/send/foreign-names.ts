import type { ForeignName } from "../../core/foreign-names";
import { AttachmentInput } from "../../core/mail/attachments";

const onePerRecipient = "Each recipient gets an email of their own: put the address into to, which also takes a list";
const schedule = "Use scheduledAt, a time such as 2026-01-31T09:00:00Z";
const reply = "Use reply, an address";
const template = "Use template, the template's id";

const keyInHeader = "Send it as the header Idempotency-Key";

/** The names that other APIs use for the data of an email. */
const namesOfData = [
  ...["variables", "dataVariables", "templateModel", "TemplateModel", "template_data", "dynamic_template_data"],
  ...["substitutions", "message_data", "mergeVars", "merge_fields", "params", "props"],
];

/** The names that other APIs use for the parts of an email. */
export const foreignNamesOfSend: ForeignName[] = [
  ...namesOfData.map((name) => ({ name, advice: 'Use data, such as { "data": { "firstName": … } }' })),
  { name: "send_at", advice: schedule },
  { name: "idempotencyKey", advice: keyInHeader },
  { name: "idempotency_key", advice: keyInHeader },
  { name: "topicId", advice: "A topic belongs to a template: set topicId there, and send that template" },
  {
    name: "previewText",
    advice: "A preview text belongs to a template: set previewText there, and send that template",
  },
  {
    name: "metadata",
    advice: "Emails have no metadata: put what the mail shows into data, or set a header of your own in headers",
  },
  {
    name: "stream",
    advice: "There are no streams: the type of the template says whether mail is TRANSACTIONAL or MARKETING",
  },
  { name: "cc", advice: onePerRecipient },
  { name: "bcc", advice: onePerRecipient },
  { name: "sendAt", advice: schedule },
  { name: "scheduled_at", advice: schedule },
  { name: "replyTo", advice: reply },
  { name: "reply_to", advice: reply },
  { name: "html", advice: "Use body, which is HTML" },
  { name: "text", advice: "Leave it out: the plain text is made from body" },
  { name: "templateId", advice: template },
  { name: "template_id", advice: template },
  { name: "tags", advice: "Emails have no tags: leave it out, or set a header of your own in headers" },
  {
    name: "type",
    except: "html",
    advice:
      'Here it is the format of body, which can only be "html". Markdown is not rendered, so convert it to HTML. ' +
      "MARKETING and HEADLESS mail takes a template of that type",
  },
  {
    name: "path",
    itemsOf: "attachments",
    advice: "Files are not fetched from a path or URL: send the file in base64 as content",
  },
];

const address = ["name", "email"];

/**
 * The known names in the parts of a call. They let the call report unknown names, such as `data` inside a single
 * recipient, instead of dropping them silently.
 */
export const partNamesOfSend = {
  to: address,
  from: address,
  attachments: Object.keys(AttachmentInput.shape),
};

import { z } from "zod";
import { type JsonObject, utf8Bytes } from "../../../core/json";
import { pick, textIn } from "../fields";
import { contactOf, idOf } from "../named";
import { readingTool } from "../tool";
import { Contact, Data, Template } from "./arguments";

export const previewTemplate = readingTool({
  name: "preview_template",
  title: "Preview a template",
  description:
    "Render a template as it would be sent, for a contact or with your own data. Returns the subject, the text, and the " +
    "variables without a value. Nothing is sent. The HTML is long: ask for it only when you need it.",
  input: z.strictObject({
    template: Template,
    contact: Contact.optional().describe("The id or address of the contact whose data fills the template."),
    data: Data.optional().describe("Values for the template's variables. They replace those of the contact."),
    html: z.boolean().default(false).describe("Whether to return the HTML, too."),
  }),
  async run({ api }, { template, contact, data, html }) {
    const id = await idOf(api, "template", template);
    const person = contact === undefined ? null : await contactOf(api, contact);
    // The arguments were parsed from JSON, so they are JSON.
    const filled = { ...(person && { contactId: String(person.id) }), ...(data && { data: data as JsonObject }) };
    const [rendered, row] = await Promise.all([
      api.post(`/templates/${id}/preview`, filled),
      api.get(`/templates/${id}`),
    ]);
    return {
      data: {
        template: pick(row, "id", "name", "type", "from", "topicId"),
        ...(person && { contact: pick(person, "id", "email") }),
        ...pick(rendered, "subject", "text", "missing", "warnings", ...(html ? ["html"] : [])),
        htmlBytes: utf8Bytes(textIn(rendered, "html") ?? ""),
      },
    };
  },
});

import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { explainContact } from "./explain";
import { ContactExplanation, ExplainContact } from "./schema";

export const contactExplanations = projectRoutes("Contacts");

contactExplanations.post(
  "/contacts/{id}/explain",
  {
    id: "explainContact",
    summary: "Explain whether a contact got some mail, and why",
    description:
      "Pass one of a campaign, a workflow, a template and an email. Nothing is changed. For a campaign without an email " +
      "to the contact, the answer compares the frozen audience, or that of the draft, with the current contact. For " +
      "a workflow, it explains the contact's latest execution, and for a template, its newest email to the contact.",
    bucket: "contacts",
    isRead: true,
    params: IdParam,
    body: ExplainContact,
    ok: ContactExplanation,
  },
  (ctx, { params, body }) => explainContact(ctx, params.id, body),
);

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
      "Pass one of a campaign, a workflow, a template and an email. Nothing is changed. Of a campaign without an email " +
      "for the contact, the answer is about the frozen audience, or that of the draft, and the contact as it is now. Of " +
      "a workflow it is about the contact's latest passage, and of a template about its newest email to the contact.",
    bucket: "contacts",
    isRead: true,
    params: IdParam,
    body: ExplainContact,
    ok: ContactExplanation,
  },
  (ctx, { params, body }) => explainContact(ctx, params.id, body),
);

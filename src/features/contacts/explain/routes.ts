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
      "Send the id of one campaign, workflow, template or email. The call changes nothing. If a campaign " +
      "has no email to the contact, the answer compares the contact as it is now with the campaign's " +
      "frozen audience, or with the draft's audience. For a workflow, it explains the contact's latest " +
      "execution; for a template, the newest email to the contact.",
    bucket: "contacts",
    isRead: true,
    params: IdParam,
    body: ExplainContact,
    ok: ContactExplanation,
  },
  (ctx, { params, body }) => explainContact(ctx, params.id, body),
);

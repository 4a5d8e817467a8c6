import { describe, it } from "vitest";
import { readId } from "../../src/core/ids";
import { explainContact } from "../../src/features/contacts/explain/explain";
import { newCampaign } from "../support/campaign";
import { expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { isPro, newContact } from "../support/segment";
import { newTemplate } from "../support/template";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

describe("explaining a person's mail", () => {
  it("reads rows of one contact, by an index", async () => {
    const [world, project] = [new World(), await newProject()];
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const { id: templateId } = await newTemplate(project);
    const sent = await project.api.send({ template: templateId, subject: undefined, body: undefined });
    const emailId = sent.body.data.emails[0].email;
    const { id: campaignId } = await newCampaign(project, { audienceType: "FILTERED", audienceCondition: isPro });
    const { id: workflowId } = await newWorkflow(project);
    const { ctx } = await world.context(project);
    for (const asked of [
      { campaignId: readId(campaignId) },
      { templateId: readId(templateId) },
      { emailId: readId(emailId) },
      { workflowId },
    ]) {
      await explainContact(ctx, readId(ada.id), asked);
    }
    await expectBounded(world.statements, [
      // The newest contact, at the end of the key: a draft is explained as if it were sent now.
      { sql: /SELECT max\(id\) FROM contacts/, step: /SEARCH contacts USING COVERING INDEX .* \(project_id=\?\)$/ },
      // The emails of one contact, of which the index has no order by time: as in GET /emails?contactId=.
      { sql: /INDEXED BY ux_emails_contact .* ORDER BY id DESC LIMIT/, step: /TEMP B-TREE FOR ORDER BY/ },
    ]);
  });
});

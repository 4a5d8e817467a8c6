import { UpsertContact } from "../../src/features/contacts/schema";
import { upsertContact } from "../../src/features/contacts/upsert";
import { TrackEvent } from "../../src/features/events/schema";
import { trackEvent } from "../../src/features/events/track";
import type { Death } from "./killable";
import { admin, newProject, type TestProject } from "./project";
import { newTemplate } from "./template";
import type { World } from "./world";

export const origin = "https://petrel.example";

/** A project with a confirmation template, which is a MARKETING one to show that this does not matter. */
export async function confirming(
  settings: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<{ project: TestProject; template: string }> {
  const project = await newProject({ fromName: "Acme", ...settings });
  const body = '<p>Hi {{ firstName ?? "there" }}, <a href="{{ confirmUrl }}">yes</a></p>';
  const { id } = await newTemplate(project, { type: "MARKETING", subject: "Please confirm", body, ...fields });
  await admin.patch(`/admin/projects/${project.id}`, { confirmationTemplateId: id });
  return { project, template: id };
}

/** `POST /contacts` with `confirm: true` in a world under control. Warnings come with the answer. */
export async function ask(world: World, project: TestProject, fields: Record<string, unknown> = {}, death?: Death) {
  const { ctx } = await world.context(project, death);
  const call = UpsertContact.parse({ email: "ada@example.com", confirm: true, ...fields });
  const { confirmation } = await upsertContact({ ...ctx, origin, keyKind: "secret" }, call);
  return { confirmation, warnings: ctx.warnings };
}

/** `POST /v1/track` with `confirm: true` and the public key. */
export async function askPublicly(
  world: World,
  project: TestProject,
  fields: Record<string, unknown> = {},
  death?: Death,
) {
  const { ctx } = await world.context(project, death);
  const call = TrackEvent.parse({ email: "ada@example.com", event: "signed_up", confirm: true, ...fields });
  const { confirmation } = await trackEvent({ ...ctx, origin, keyKind: "public" }, call, "POST /v1/track");
  return { confirmation, warnings: ctx.warnings };
}

/** The path of the link in a confirmation mail. */
export function confirmPath({ html }: { html: string }): string {
  const path = /href="https:\/\/petrel\.example(\/confirm\/[\w-]{110})"/.exec(html)?.[1];
  if (!path) throw new Error(`No link to confirm in ${html}`);
  return path;
}

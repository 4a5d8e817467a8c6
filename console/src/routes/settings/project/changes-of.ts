import type { Project, UpdateProject } from "petrel-client";

/** Returns the form's fields that differ from the project. Other fields may have been changed elsewhere meanwhile. */
export function changesOf(project: Project, form: FormData): UpdateProject {
  const text = (name: string) => `${form.get(name) ?? ""}`.trim();
  const orNull = (name: string) => text(name) || null;
  const all = {
    name: text("name"),
    fromName: orNull("fromName"),
    locale: text("locale"),
    tracking: text("tracking"),
    company: orNull("company"),
    // A form uses the line breaks of its platform.
    postalAddress: orNull("postalAddress")?.replaceAll("\r\n", "\n") ?? null,
    publicTrackSubscribes: form.has("publicTrackSubscribes"),
    publicKeyMayResubscribe: form.has("publicKeyMayResubscribe"),
    publicAnswers: form.has("publicAnswers") ? "IDS" : "NONE",
    confirmationTemplateId: orNull("confirmationTemplateId"),
  };
  const changed = Object.entries(all).filter(([name, value]) => value !== project[name as keyof Project]);
  // Each field has a value of its own input.
  return Object.fromEntries(changed) as UpdateProject;
}

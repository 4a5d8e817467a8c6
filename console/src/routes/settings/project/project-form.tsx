import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Project, UpdateProject } from "petrel-client";
import type { SubmitEvent } from "react";
import { useProject } from "../../../api/project";
import { sessionKey } from "../../../api/queries";
import { Button } from "../../../parts/button";
import { AreaField, CheckField, SelectField, TextField } from "../../../parts/field";
import { Section } from "../../../parts/page";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { changesOf } from "./changes-of";
import { ConfirmationField } from "./confirmation-field";
import { settingsOf } from "./page";

const trackings = ["ENABLED", "MARKETING_ONLY", "DISABLED"] as const satisfies Project["tracking"][];

interface ProjectFormProps {
  project: Project;
  /** Whether this version of the project was saved here. */
  isSaved: boolean;
  saved(project: Project): void;
}

export function ProjectForm({ project, isSaved, saved }: ProjectFormProps) {
  const { words } = useWords();
  const { petrel } = useProject();
  const queries = useQueryClient();
  const texts = words.settings.project;
  const save = useMutation({
    mutationFn: (change: UpdateProject) => petrel.admin.updateProject(project.id, change),
    onSuccess: (changed) => {
      queries.setQueryData(settingsOf(project.id), changed);
      saved(changed);
      // The bar at the top shows the project's name.
      return queries.invalidateQueries({ queryKey: sessionKey });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    save.mutate(changesOf(project, new FormData(event.currentTarget)));
  }

  return (
    <form onSubmit={send} className="grid gap-4">
      <Section title={texts.identity}>
        <div className="grid gap-4 p-4 tablet:grid-cols-2">
          <TextField label={words.settings.name} name="name" required maxLength={100} defaultValue={project.name} />
          <TextField label={texts.fromName} name="fromName" maxLength={100} defaultValue={project.fromName ?? ""} />
          <TextField label={texts.locale} name="locale" required defaultValue={project.locale} spellCheck={false} />
          <SelectField label={texts.tracking} name="tracking" defaultValue={project.tracking}>
            {trackings.map((tracking) => (
              <option key={tracking} value={tracking}>
                {texts.trackings[tracking]}
              </option>
            ))}
          </SelectField>
        </div>
      </Section>
      <Section title={texts.footer}>
        <div className="grid gap-4 p-4">
          <TextField label={texts.company} name="company" defaultValue={project.company ?? ""} />
          <div>
            <AreaField label={texts.address} name="postalAddress" rows={3} defaultValue={project.postalAddress ?? ""} />
            <p className="mt-1 text-small text-quiet">{texts.addressAdvice}</p>
          </div>
        </div>
      </Section>
      <Section title={texts.public}>
        <div className="grid gap-3 p-4">
          <CheckField
            label={texts.trackSubscribes}
            name="publicTrackSubscribes"
            defaultChecked={project.publicTrackSubscribes}
          />
          <CheckField
            label={texts.mayResubscribe}
            name="publicKeyMayResubscribe"
            defaultChecked={project.publicKeyMayResubscribe}
          />
          <CheckField label={texts.answersIds} name="publicAnswers" defaultChecked={project.publicAnswers === "IDS"} />
          <ConfirmationField current={project.confirmationTemplateId} />
        </div>
      </Section>
      {save.error && <Refused error={save.error} />}
      <div className="flex items-center gap-3">
        <Button type="submit" kind="main" isBusy={save.isPending}>
          {words.save}
        </Button>
        <p role="status" className="text-good">
          {isSaved && !save.isPending && words.settings.saved}
        </p>
      </div>
    </form>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedProject } from "petrel-client";
import type { SubmitEvent } from "react";
import { installation } from "../../api/petrel";
import { sessionKey } from "../../api/queries";
import { Button } from "../../parts/button";
import { CheckField, TextField } from "../../parts/field";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { projectsKey } from "./keys";

/** Creates a project. The answer contains its first keys, which are shown once. */
export function MakeProject({ onMade }: { onMade(made: CreatedProject): void }) {
  const { words } = useWords();
  const queries = useQueryClient();
  const texts = words.installation.projects;
  const make = useMutation({
    mutationFn: (fields: FormData) =>
      installation.admin.createProject({
        name: `${fields.get("name") ?? ""}`.trim(),
        testClock: fields.has("testClock"),
      }),
    async onSuccess(made) {
      onMade(made);
      await Promise.all([
        queries.invalidateQueries({ queryKey: projectsKey }),
        queries.invalidateQueries({ queryKey: sessionKey }),
      ]);
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    make.mutate(new FormData(event.currentTarget));
  }

  return (
    <form onSubmit={send} className="sheet flex flex-wrap items-end gap-x-4 gap-y-2 p-4">
      <div className="min-w-48 flex-1">
        <TextField label={texts.name} name="name" required maxLength={100} />
      </div>
      <CheckField label={texts.testClock} name="testClock" />
      <Button type="submit" kind="main" isBusy={make.isPending}>
        {texts.make}
      </Button>
      {make.error && (
        <div className="basis-full">
          <Refused error={make.error} />
        </div>
      )}
    </form>
  );
}

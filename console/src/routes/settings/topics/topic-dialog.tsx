import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Topic } from "petrel-client";
import type { SubmitEvent } from "react";
import { useProject } from "../../../api/project";
import { Dialog } from "../../../parts/dialog";
import { CheckField, TextField } from "../../../parts/field";
import { SaveFoot } from "../../../parts/save-foot";
import { useWords } from "../../../words/words";
import { topicsOf } from "./page";

/** Adds or changes a topic. */
export function TopicDialog({ topic, onClose }: { topic: Topic | null; onClose(): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (fields: { name: string; description: string | null; defaultSubscribed: boolean }) =>
      topic === null ? petrel.topics.create(fields) : petrel.topics.update(topic.id, fields),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: topicsOf(project) });
      onClose();
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const description = `${form.get("description") ?? ""}`.trim();
    save.mutate({
      name: `${form.get("name") ?? ""}`,
      description: description === "" ? null : description,
      defaultSubscribed: form.has("subscribed"),
    });
  }

  return (
    <Dialog title={topic?.name ?? words.settings.actions.topics} onClose={onClose}>
      <form onSubmit={send} className="mt-4 grid gap-4">
        <TextField label={words.settings.name} name="name" required maxLength={100} defaultValue={topic?.name} />
        <TextField
          label={words.settings.topics.description}
          name="description"
          maxLength={500}
          defaultValue={topic?.description ?? ""}
        />
        <CheckField
          label={words.settings.topics.subscribed}
          name="subscribed"
          defaultChecked={topic?.defaultSubscribed ?? true}
        />
        <SaveFoot save={save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

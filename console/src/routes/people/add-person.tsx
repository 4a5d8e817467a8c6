import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { UpsertContact } from "petrel-client";
import { type SubmitEvent, useState } from "react";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { CheckField, TextField } from "../../parts/field";
import { SaveFoot } from "../../parts/save-foot";
import { useWords } from "../../words/words";

/** Adds a person by their address, and shows them. */
export function AddPerson({ kind }: { kind: "main" | "plain" }) {
  const { words } = useWords();
  const may = useMay();
  const [isOpen, setIsOpen] = useState(false);
  if (!may("contacts.upsert")) return null;
  return (
    <>
      <Button kind={kind} onClick={() => setIsOpen(true)}>
        {words.people.add}
      </Button>
      {isOpen && <PersonForm onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PersonForm({ onClose }: { onClose(): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: async (fields: UpsertContact) => petrel.contacts.upsert(fields),
    async onSuccess({ id }) {
      void queries.invalidateQueries({ queryKey: [project, "people"] });
      await navigate({ to: "/p/$project/people/$person", params: { project, person: id } });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // Left out, it subscribes new people alone: a person who has opted out stays so.
    const subscribed = form.has("subscribed") ? {} : { subscribed: false };
    add.mutate({ email: `${form.get("email") ?? ""}`, ...subscribed });
  }

  return (
    <Dialog title={words.people.add} onClose={onClose}>
      <form onSubmit={send} className="mt-4 grid gap-4">
        <TextField label={words.people.email} name="email" type="email" required />
        <CheckField label={words.people.subscribed} name="subscribed" defaultChecked />
        <SaveFoot save={add} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

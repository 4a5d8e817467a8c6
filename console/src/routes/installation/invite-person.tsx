import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useRef } from "react";
import { installation } from "../../api/petrel";
import { Button } from "../../parts/button";
import { CheckField, TextField } from "../../parts/field";
import { useProof } from "../../parts/proof";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { peopleKey } from "./keys";

/** Invites an address, as an owner or as a person who is added to projects later. */
export function InvitePerson() {
  const { words } = useWords();
  const queries = useQueryClient();
  const withProof = useProof();
  const form = useRef<HTMLFormElement>(null);
  const texts = words.installation.people;
  const invite = useMutation({
    mutationFn: (fields: FormData) =>
      withProof(() =>
        installation.admin.invitePerson({
          email: `${fields.get("email") ?? ""}`.trim(),
          role: fields.has("owner") ? "owner" : null,
        }),
      ),
    onSuccess() {
      form.current?.reset();
      return queries.invalidateQueries({ queryKey: peopleKey });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    invite.mutate(new FormData(event.currentTarget));
  }

  return (
    <form ref={form} onSubmit={send} className="sheet flex flex-wrap items-end gap-x-4 gap-y-2 p-4">
      <div className="min-w-48 flex-1">
        <TextField label={words.settings.members.email} name="email" type="email" required />
      </div>
      <CheckField label={texts.asOwner} name="owner" />
      <Button type="submit" kind="main" isBusy={invite.isPending}>
        {words.settings.members.invite}
      </Button>
      <p className="basis-full text-small text-quiet">{texts.ownerLead}</p>
      {invite.data && (
        <p role="status" className="basis-full text-quiet">
          {invite.data.invitation.message}
        </p>
      )}
      {invite.error && (
        <div className="basis-full">
          <Refused error={invite.error} />
        </div>
      )}
    </form>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useRef } from "react";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { TextField } from "../../../parts/field";
import { useProof } from "../../../parts/proof";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { membersOf } from "./page";
import { RightsFields, rightsIn } from "./rights";

const usual = { role: "editor", maySend: true, seesPersonalData: true } as const;

/** Invites an address. The answer tells whether an email was sent, and otherwise what to do. */
export function Invite() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const withProof = useProof();
  const form = useRef<HTMLFormElement>(null);
  const invite = useMutation({
    mutationFn: (fields: FormData) =>
      withProof(() =>
        petrel.admin.inviteMember(project, { email: `${fields.get("email") ?? ""}`.trim(), ...rightsIn(fields) }),
      ),
    onSuccess() {
      form.current?.reset();
      return queries.invalidateQueries({ queryKey: membersOf(project) });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    invite.mutate(new FormData(event.currentTarget));
  }

  return (
    <form ref={form} onSubmit={send} className="sheet flex flex-wrap items-end gap-x-3 gap-y-2 p-4">
      <div className="min-w-48 flex-2">
        <TextField label={words.settings.members.email} name="email" type="email" required />
      </div>
      <RightsFields of={usual} />
      <Button type="submit" kind="main" isBusy={invite.isPending}>
        {words.settings.members.invite}
      </Button>
      <p role="status" className="self-center text-quiet">
        {invite.data?.invitation.message}
      </p>
      {invite.error && (
        <div className="basis-full">
          <Refused error={invite.error} />
        </div>
      )}
    </form>
  );
}

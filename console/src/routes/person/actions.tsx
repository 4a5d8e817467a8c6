import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Contact } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { useProof } from "../../parts/proof";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { saveAsFile } from "./save-as-file";

/** The actions on a whole person: all their mail, a file of all that is stored about them, and their erasure. */
export function PersonActions({ contact: { id, email } }: { contact: Contact }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const withProof = useProof();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => saveAsFile(`contact-${id}.json`, await petrel.contacts.export(id)),
  });
  const erase = useMutation({
    mutationFn: () => withProof(() => petrel.contacts.delete(id)),
    async onSuccess() {
      await navigate({ to: "/p/$project/people", params: { project }, replace: true });
      queries.removeQueries({ queryKey: [project, "person", id] });
      await queries.invalidateQueries({ queryKey: [project, "people"] });
    },
  });
  const error = save.error ?? erase.error;
  return (
    <>
      <Link to="/p/$project/emails" params={{ project }} search={{ contactId: id }} className="link self-center">
        {words.person.mail}
      </Link>
      {may("contacts.export") && (
        <Button isBusy={save.isPending} onClick={() => save.mutate()}>
          {words.person.export}
        </Button>
      )}
      {may("contacts.delete") && (
        <Confirm
          label={words.people.bulk.delete}
          title={words.people.bulk.title.delete(email)}
          action={words.people.bulk.delete}
          run={() => erase.mutate()}
          isBusy={erase.isPending}
        >
          {words.people.bulk.advice.delete}
        </Confirm>
      )}
      {error && (
        <div className="basis-full">
          <Refused error={error} />
        </div>
      )}
    </>
  );
}

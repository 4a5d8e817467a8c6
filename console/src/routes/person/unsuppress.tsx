import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

/** Offers to lift the suppression of an address, when the suppression is the reason why an email was not sent. */
export function Unsuppress({ email }: { email: string }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => petrel.suppressions.remove(email),
    onSuccess: () => queries.invalidateQueries({ queryKey: [project, "explain"] }),
  });
  if (!may("suppressions.remove")) return null;
  return (
    <div className="mt-2">
      <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
        {words.more.parts.unsuppress}
      </Button>
      {remove.error && <Refused error={remove.error} />}
    </div>
  );
}

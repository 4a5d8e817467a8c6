import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

export function AddDomain() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const [domain, setDomain] = useState("");
  const add = useMutation({
    mutationFn: () => petrel.domains.add({ domain: domain.trim() }),
    onSuccess() {
      setDomain("");
      return queries.invalidateQueries({ queryKey: [project, "domains"] });
    },
  });
  return (
    <form
      className="sheet flex flex-wrap items-end gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <div className="min-w-48 flex-1">
        <TextField
          label={words.domains.name}
          placeholder={words.domains.namePlaceholder}
          required
          spellCheck={false}
          value={domain}
          onChange={({ target }) => setDomain(target.value)}
        />
      </div>
      <Button type="submit" kind="main" isBusy={add.isPending}>
        {words.domains.add}
      </Button>
      {add.error && (
        <div className="basis-full">
          <Refused error={add.error} />
        </div>
      )}
    </form>
  );
}

import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Contact } from "petrel-client";
import { useProject } from "../../api/project";

/** A call that changes a person. The page shows what it answers, and reads all else about them again. */
export function usePersonChange<Asked = void>(
  person: string,
  change: (asked: Asked) => PromiseLike<Contact>,
): UseMutationResult<Contact, Error, Asked> {
  const { id: project } = useProject();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (asked: Asked) => change(asked),
    onSuccess(changed) {
      queries.setQueryData([project, "person", person], changed);
      void queries.invalidateQueries({ queryKey: [project, "explain", person] });
      void queries.invalidateQueries({ queryKey: [project, "people"] });
      return queries.invalidateQueries({ queryKey: [project, "person", person] });
    },
  });
}

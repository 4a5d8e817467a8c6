import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Contact } from "petrel-client";
import { useProject } from "../../api/project";

/** Returns a call that changes a person. The page shows the person from its answer, and reads everything else about them again. */
export function usePersonChange<Asked = void>(
  person: string,
  change: (asked: Asked) => PromiseLike<Contact>,
): UseMutationResult<Contact, Error, Asked> {
  const { id: project } = useProject();
  const queries = useQueryClient();
  const queryKey = [project, "person", person];
  return useMutation({
    mutationFn: async (asked: Asked) => change(asked),
    onSuccess(changed) {
      queries.setQueryData(queryKey, changed);
      void queries.invalidateQueries({ queryKey: [project, "explain", person] });
      void queries.invalidateQueries({ queryKey: [project, "people"] });
      return queries.invalidateQueries({ queryKey });
    },
    // Others may have written: the page shows their version, and the next change begins with it.
    onError: () => queries.invalidateQueries({ queryKey }),
  });
}

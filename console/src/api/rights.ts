import { mayCall, type OperationName } from "petrel-client";
import { useProject } from "./project";

/**
 * Returns a check of which calls the person may make here, so that a page offers no call that is refused. The rules are
 * those of the API's document.
 */
export function useMay(): (operation: OperationName) => boolean {
  const project = useProject();
  return (operation) => mayCall(project, operation);
}

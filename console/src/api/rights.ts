import { useProject } from "./project";

export interface Rights {
  /** May change what is in the project. */
  writes: boolean;
  /** May have mail sent to many. Stopping it takes less. */
  sends: boolean;
}

/** Returns what a page offers to this person. The service decides, and refuses the rest. */
export function useRights(): Rights {
  const { role, maySend } = useProject();
  const writes = role !== "viewer";
  return { writes, sends: writes && maySend };
}

import type { Petrel } from "petrel-client";
import { createContext, useContext } from "react";
import type { OwnProject } from "./session";

export interface OpenProject extends OwnProject {
  petrel: Petrel;
}

export const ProjectContext = createContext<OpenProject | null>(null);

/** The project that is open. Keys of queries begin with its id, so that no project shows what another one has. */
export function useProject(): OpenProject {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error("Only pages of a project have one");
  return project;
}

import type { Petrel } from "petrel-client";
import { createContext, useContext } from "react";
import type { OwnProject } from "./session";

export interface OpenProject extends OwnProject {
  petrel: Petrel;
}

export const ProjectContext = createContext<OpenProject | null>(null);

/** Returns the open project. Keys of queries begin with its id, so that no project shows data of another one. */
export function useProject(): OpenProject {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error("Only pages of a project have one");
  return project;
}

import { Outlet } from "@tanstack/react-router";
import { Frame } from "./frame";
import { lastProject } from "./last-project";
import { useMe } from "./root";

/** The frame around a page of no project: that of the project that was open last, if the person has one. */
export function OwnShell() {
  const { projects } = useMe();
  const last = lastProject();
  return (
    <Frame project={projects.find(({ id }) => id === last) ?? projects[0] ?? null}>
      <Outlet />
    </Frame>
  );
}

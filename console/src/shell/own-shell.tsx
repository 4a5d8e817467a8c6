import { Outlet } from "@tanstack/react-router";
import { Frame } from "./frame";
import { lastProject } from "./last-project";
import { useMe } from "./root";

/** Frames a page that belongs to no project: with the project that was open last, if the person has one. */
export function OwnShell() {
  const { projects } = useMe();
  const last = lastProject();
  return (
    <Frame project={projects.find(({ id }) => id === last) ?? projects[0] ?? null}>
      <Outlet />
    </Frame>
  );
}

import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { Frame } from "./frame";
import { keepProject } from "./last-project";
import { Nowhere } from "./nowhere";
import { useMe } from "./root";

const route = getRouteApi("/p/$project");

/** The frame around every page of a project. */
export function Shell() {
  const { project: id } = route.useParams();
  const { projects } = useMe();
  const own = projects.find((project) => project.id === id);
  useEffect(() => {
    if (own) keepProject(own.id);
  }, [own]);
  if (own === undefined) return <Nowhere />;
  return (
    <Frame project={own}>
      <Outlet />
    </Frame>
  );
}

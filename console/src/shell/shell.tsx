import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { installation } from "../api/petrel";
import type { OwnProject } from "../api/session";
import { Loading } from "../parts/states";
import { Frame } from "./frame";
import { keepProject } from "./last-project";
import { Nowhere } from "./nowhere";
import { useMe } from "./root";

const route = getRouteApi("/p/$project");

/** Frames every page of a project. */
export function Shell() {
  const { project: id } = route.useParams();
  const own = useOwn(id);
  useEffect(() => {
    if (own) keepProject(own.id);
  }, [own]);
  if (own === undefined) return <Loading />;
  if (own === null) return <Nowhere />;
  return (
    <Frame project={own}>
      <Outlet />
    </Frame>
  );
}

/** Undefined until known; null when the person does not have this project. */
function useOwn(id: string): OwnProject | null | undefined {
  const { projects, isOwner } = useMe();
  const listed = projects.find((project) => project.id === id);
  // An owner has all projects, but only the first thousand are listed with the person.
  const isAsked = listed === undefined && isOwner;
  const found = useQuery({
    queryKey: ["installation", "project", id],
    enabled: isAsked,
    queryFn: ({ signal }) => installation.admin.getProject(id, { signal }),
    select: ({ name, disabled, testClock }): OwnProject => ({
      ...{ id, name, disabled, testClock },
      ...{ role: "owner", maySend: true },
    }),
  });
  if (!isAsked) return listed ?? null;
  return found.error === null ? found.data : null;
}

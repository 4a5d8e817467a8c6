import { Navigate } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazily } from "../api/load-part";
import { Loading } from "../parts/states";
import { Frame } from "./frame";
import { lastProject } from "./last-project";
import { useMe } from "./root";

const NoProject = lazily(async () => (await import("./no-project")).NoProject);

/** Leads from the address of the console itself to the project that was open last. */
export function Entry() {
  const { projects, isOwner } = useMe();
  const last = lastProject();
  const project = projects.find(({ id }) => id === last) ?? projects[0];
  if (project) return <Navigate to="/p/$project" params={{ project: project.id }} replace />;
  return (
    <Frame project={null}>
      <Suspense fallback={<Loading />}>
        <NoProject isOwner={isOwner} />
      </Suspense>
    </Frame>
  );
}

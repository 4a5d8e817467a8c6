import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { AuthenticationError } from "petrel-client";
import { Suspense } from "react";
import { lazily } from "../api/load-part";
import { sessionQuery } from "../api/session";
import { loadSignIn } from "../chunks";
import { ProofProvider } from "../parts/proof";
import { Loading, Refused } from "../parts/states";

const SignIn = lazily(async () => (await loadSignIn()).SignIn);

function useSession() {
  return useQuery(sessionQuery(useQueryClient()));
}

/** Returns the signed-in person, wherever a page is shown. */
export function useMe() {
  const { data } = useSession();
  if (data === undefined) throw new Error("No page is shown before it is known who is signed in");
  return data;
}

/** Shows a page to a signed-in person, and to others, at the same address, the sign-in form. */
export function Root() {
  const { data, error, refetch } = useSession();
  if (error instanceof AuthenticationError) {
    return (
      <Suspense fallback={<Loading />}>
        <SignIn access={typeof error.details?.access === "string" ? error.details.access : null} />
      </Suspense>
    );
  }
  if (error !== null && data === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <ProofProvider key={data.person.id} email={data.person.email}>
      <Outlet />
    </ProofProvider>
  );
}

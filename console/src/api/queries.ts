import { QueryCache, QueryClient } from "@tanstack/react-query";
import { AuthenticationError } from "petrel-client";

export const sessionKey = ["session"];

/** Drops everything that was read for the person who was signed in. */
export function forgetAllBut(queries: QueryClient, [kept]: readonly string[]): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept });
}

/** Queries do not retry, because the client itself repeats calls where that is safe. */
export function openQueries(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryKey }) {
        if (!(error instanceof AuthenticationError)) return;
        // The session has ended: the first page asks to sign in, and everything is read again afterwards.
        if (queryKey[0] === sessionKey[0]) forgetAllBut(queries, sessionKey);
        else void queries.invalidateQueries({ queryKey: sessionKey });
      },
    }),
    defaultOptions: {
      queries: {
        ...{ retry: false, staleTime: 10_000, refetchOnWindowFocus: true, refetchIntervalInBackground: false },
        networkMode: "always",
      },
      // A call without a network fails and shows the failure. Waiting for the network would leave the reader without an
      // explanation.
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}

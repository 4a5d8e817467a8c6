import { QueryCache, QueryClient } from "@tanstack/react-query";
import { AuthenticationError } from "petrel-client";

export const sessionKey = ["session"];

/** Forgets everything that was read for the person who was signed in. */
export function forgetAllBut(queries: QueryClient, [kept]: readonly string[]): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept });
}

/** The client repeats calls by itself where that is safe, so a query does not. */
export function openQueries(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryKey }) {
        if (!(error instanceof AuthenticationError)) return;
        // The session is over: the first page asks to sign in, and everything is read anew after that.
        if (queryKey[0] === sessionKey[0]) forgetAllBut(queries, sessionKey);
        else void queries.invalidateQueries({ queryKey: sessionKey });
      },
    }),
    defaultOptions: {
      queries: {
        ...{ retry: false, staleTime: 10_000, refetchOnWindowFocus: true, refetchIntervalInBackground: false },
        networkMode: "always",
      },
      // A call without a network fails and says so. To wait for the network would leave its reader in the dark.
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}

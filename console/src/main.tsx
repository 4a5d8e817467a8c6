import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries, session } from "./begun";
import { router } from "./router";
import { en } from "./words/en";
import { WordsProvider } from "./words/provider";
import { firstWords, locale, sayFirst } from "./words/shown";
import "./style.css";

const place = document.getElementById("console");
if (place === null) throw new Error("The page has no place for the console");
// index.html stays visible until everything is loaded. If the file of a language cannot be loaded, for example without
// a network, English is used.
const [spoken] = await Promise.all([firstWords?.catch(() => null), session, router.load()]);
if (spoken) document.documentElement.lang = locale;

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <WordsProvider words={sayFirst(spoken ?? en)} locale={locale}>
        <RouterProvider router={router} />
      </WordsProvider>
    </QueryClientProvider>
  </StrictMode>,
);

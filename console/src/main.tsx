import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries, session } from "./begun";
import { router } from "./router";
import { en } from "./words/en";
import { WordsProvider } from "./words/provider";
import { sayFirst } from "./words/shown";
import "./style.css";

const place = document.getElementById("console");
if (place === null) throw new Error("The page has no place for the console");
// index.html stays visible until everything is loaded.
await Promise.all([sayFirst(en), session, router.load()]);

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <WordsProvider>
        <RouterProvider router={router} />
      </WordsProvider>
    </QueryClientProvider>
  </StrictMode>,
);

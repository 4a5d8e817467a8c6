import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { openQueries } from "./api/queries";
import { router } from "./router";
import { WordsProvider } from "./words/provider";
import "./style.css";

const place = document.getElementById("console");
if (place === null) throw new Error("The page has no place for the console");

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={openQueries()}>
      <WordsProvider>
        <RouterProvider router={router} />
      </WordsProvider>
    </QueryClientProvider>
  </StrictMode>,
);

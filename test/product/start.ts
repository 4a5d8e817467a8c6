import type { TestProject } from "vitest/node";
import { buildClient } from "../../scripts/lib/client/pack.mjs";
import { findChromium } from "./chromium";
import { type Product, startProduct } from "./product";

declare module "vitest" {
  interface ProvidedContext {
    product: Product;
    /** Where it is installed, if it is. */
    chromium: string | null;
  }
}

/** One product for all files of this folder, and one build of the clients. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = findChromium();
  if (chromium === null && process.env.CI !== "true") {
    console.log("No Chromium was found, so the browser tests are skipped: install it, or name it in CHROMIUM_PATH.");
  }
  project.provide("chromium", chromium);
  const [started, built] = await Promise.allSettled([startProduct(), buildClient()]);
  if (started.status === "rejected") throw started.reason;
  const { product, stop } = started.value;
  if (built.status === "rejected") {
    await stop();
    throw built.reason;
  }
  project.provide("product", product);
  return stop;
}

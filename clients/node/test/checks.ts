import { calls } from "./calls.js";
import { lists } from "./lists.js";
import { product, type World } from "./product.js";
import { signatures } from "./webhooks.js";

const checks: Record<string, (world: World) => Promise<void>> = { ...calls, ...lists, ...signatures, ...product };

/** Runs every check, all at once. Returns, by the name of each check, its fault; an empty string if it has none. */
export async function runChecks(world: World): Promise<Record<string, string>> {
  const ended = Object.entries(checks).map(async ([name, check]) => {
    const fault = await check(world).then(
      () => "",
      (error: Error) => error.stack ?? error.message,
    );
    return [name, fault];
  });
  return Object.fromEntries(await Promise.all(ended));
}

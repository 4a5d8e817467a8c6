import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { hostile } from "./console-world";

/** A form: where it is, how it is filled and sent, and the call that it makes. */
interface Form {
  path(draft: string): string;
  field(page: Page): Locator;
  /** Returns what the field has then. */
  fill(page: Page): Promise<string>;
  submit(page: Page): Promise<void>;
  call: RegExp;
}

/** Sends a form while the network is away: it says so, and keeps what it has. The network is back when this returns. */
export async function sendInTunnel(page: Page, send: Locator, kept: () => Promise<unknown>): Promise<void> {
  const typed = await kept();
  await page.context().setOffline(true);
  await send.click();
  await page.getByRole("alert").getByText("The service did not answer").first().waitFor();
  expect(await kept()).toEqual(typed);
  await page.context().setOffline(false);
}

const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).last().click();

function form(path: string | ((draft: string) => string), label: string, text: string, button: string, call: RegExp) {
  const field = (page: Page) => page.getByLabel(label, { exact: true }).last();
  return {
    path: typeof path === "string" ? () => path : path,
    field,
    async fill(page: Page) {
      await field(page).fill(text);
      return text;
    },
    submit: press(button),
    call,
  } satisfies Form;
}

/** A form in a dialog, which a button opens. */
function dialog(opens: string, inside: Form): Form {
  return {
    ...inside,
    async fill(page) {
      await page.getByRole("button", { name: opens }).first().click();
      return inside.fill(page);
    },
  };
}

const some = () => crypto.randomUUID().slice(0, 8);

/**
 * Forms of the pages. Those that sign in, and those of passkeys, members and the installation are sent in a tunnel where they
 * are tested. The editor of campaigns keeps what is typed by itself.
 */
export const forms: Record<string, Form> = {
  "a domain": form("/domains", "Domain", `${some()}.example`, "Add a domain", /^\/domains$/),
  "a segment": {
    ...form("/people", "Name of the segment", hostile, "Save", /^\/segments$/),
    async fill(page) {
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByRole("combobox", { name: "Value" }).fill("ada@example.com");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("button", { name: "Save as a segment" }).click();
      await page.getByLabel("Name of the segment").fill(hostile);
      return hostile;
    },
  },
  "a campaign": form(
    "/campaigns/new",
    "Name, which only you see",
    `Offer ${some()}`,
    "Begin to write",
    /^\/campaigns$/,
  ),
  "a test mail": dialog(
    "Test mail",
    form(
      (draft) => `/campaigns/${draft}/edit`,
      "Address",
      "grace@example.com",
      "Send the test",
      /^\/campaigns\/[^/]+\/test$/,
    ),
  ),
  "settings of the project": form("/settings/project", "Company", hostile, "Save", /^\/admin\/projects\/[^/]+$/),
  "a member": form("/settings/members", "Their email address", `${some()}@acme.example`, "Invite", /\/people$/),
  "a key": form("/settings/keys", "Name", `Key ${some()}`, "Make a key", /\/keys$/),
  "a topic": dialog("Add a topic", form("/settings/topics", "Name", `Topic ${some()}`, "Save", /^\/topics$/)),
  "another name of a topic": dialog(
    "Edit: News",
    form("/settings/topics", "Description", "What is new", "Save", /^\/topics\/[^/]+$/),
  ),
};

/** Pages with something to type, and what sends it. */
export const pagesWithFields = [
  { name: "keys", ...pageOf(forms["a key"]) },
  { name: "the project", ...pageOf(forms["settings of the project"]) },
  { name: "a new campaign", ...pageOf(forms["a campaign"]) },
];

function pageOf(of: Form | undefined) {
  if (of === undefined) throw new Error("There is no such form");
  return { path: of.path, field: of.field, send: of.submit };
}

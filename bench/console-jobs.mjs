import { performance } from "node:perf_hooks";

/** Acts as a person, and counts clicks, choices and keys that confirm something. Typing is not counted. */
class Hand {
  clicks = 0;

  constructor(page) {
    this.page = page;
  }

  async click(name, role = "button") {
    this.clicks++;
    await this.page.getByRole(role, { name }).first().click();
  }

  /** Chooses one of several options, or a switch, by its label. */
  async pick(label) {
    this.clicks++;
    await this.page.getByText(label, { exact: true }).first().click();
  }

  /** Presses a button of the dialog. */
  async confirm(name) {
    this.clicks++;
    await this.page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  }

  async choose(label, option) {
    this.clicks++;
    await this.page.getByRole("combobox", { name: label }).selectOption(option);
  }

  async find(text, option) {
    await this.page.keyboard.press("ControlOrMeta+k");
    await this.page.getByRole("combobox", { name: /^Search pages/ }).fill(text);
    await this.page.getByRole("option", { name: option, exact: true }).waitFor();
    this.clicks++;
    await this.page.keyboard.press("Enter");
  }

  type(label, text) {
    return this.page.getByLabel(label).first().fill(text);
  }

  see(text) {
    return this.page.getByText(text).first().waitFor();
  }
}

/** Opens a draft, and waits until the mail is shown. */
async function write(hand, { name }) {
  await hand.click("Campaigns", "link");
  await hand.click(name, "link");
  await hand.click("Edit", "link");
  await hand.page.frameLocator("iframe").getByText("News").first().waitFor();
}

/** Returns a minute of the day after tomorrow, in the form of a browser's field. */
const later = () => new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16);

/**
 * The jobs of a person, each from the start page until its result is visible. `world` has the names of existing things.
 */
const jobs = {
  "see whether all is well": async (hand) => hand.see(/(things? needs? you|all is well|Nothing needs you)/i),
  "find out why one person got nothing": async (hand, { person, campaign }) => {
    await hand.find(person, person);
    await hand.page.getByRole("heading", { level: 1, name: person }).waitFor();
    await hand.choose("Campaign", campaign.id);
    const answer = hand.page.getByRole("status").filter({ hasText: /received|not known/i });
    await answer.first().waitFor();
  },
  "open a person: data, consent, what happened, what comes next": async (hand, { person }) => {
    await hand.find(person, person);
    await hand.page.getByRole("region", { name: "Consent" }).waitFor();
    await hand.page.getByRole("region", { name: "Ahead" }).waitFor();
  },
  "correct the data of a person": async (hand, { person }) => {
    await hand.find(person, person);
    await hand.click("Change");
    const dialog = hand.page.getByRole("dialog");
    await dialog.getByLabel("plan").fill("enterprise");
    await hand.confirm("Save");
    await dialog.waitFor({ state: "detached" });
  },
  "take along all data of a person": async (hand, { person }) => {
    await hand.find(person, person);
    const saved = hand.page.waitForEvent("download");
    await hand.click("Save all data");
    await saved;
  },
  "leave a person alone for a month": async (hand, { person }) => {
    await hand.find(person, person);
    await hand.choose("Snooze", "1m");
    await hand.see("Snoozed until");
  },
  "erase a person": async (hand, { erased }) => {
    await hand.find(erased, erased);
    await hand.click("Erase");
    await hand.confirm("Erase");
    await hand.page.waitForURL(/\/people$/);
  },
  "unsubscribe a person": async (hand, { person }) => {
    await hand.click("People", "link");
    await hand.type("A part of an address", person);
    await hand.page.getByText("1 person", { exact: true }).waitFor();
    await hand.click(person, "checkbox");
    await hand.click("Unsubscribe");
    await hand.confirm("Unsubscribe");
    await hand.see(/^Done\./);
  },
  "find one email, and read it as its recipient saw it": async (hand, { reader, subject }) => {
    await hand.click("Mail", "link");
    await hand.type("To", reader);
    await hand.page.keyboard.press("Enter");
    await hand.click(subject, "link");
    await hand.page.frameLocator("iframe").getByText("News").first().waitFor();
  },
  "read the results of a campaign": async (hand, { campaign }) => {
    await hand.click("Campaigns", "link");
    await hand.click(campaign.name, "link");
    await hand.page.getByRole("region", { name: "Where everybody is" }).waitFor();
  },
  "see who got a campaign, and what became of each": async (hand, { campaign }) => {
    await hand.click("Campaigns", "link");
    await hand.click(campaign.name, "link");
    const funnel = hand.page.getByRole("region", { name: "What became of it" });
    await funnel.waitFor();
    hand.clicks++;
    await funnel.getByRole("link").first().click();
    await hand.page.waitForURL(/countedAs=/);
  },
  "compare the variants of a campaign": async (hand, { compared }) => {
    await hand.click("Campaigns", "link");
    await hand.click(compared.name, "link");
    await hand.page.getByRole("region", { name: "Variants" }).waitFor();
  },
  "look at an email on a phone, in the dark, as the next person": async (hand, { draft }) => {
    await write(hand, draft);
    await hand.pick("Phone");
    await hand.pick("Dark");
    await hand.click("Next person");
    await hand.page.frameLocator("iframe").getByText("News").first().waitFor();
  },
  "mail a test": async (hand, { draft }) => {
    await write(hand, draft);
    await hand.click("Test mail");
    await hand.type("Address", "grace@bench.test");
    await hand.click("Send the test");
    await hand.see("A test is on its way to grace@bench.test.");
  },
  "choose the audience by a condition, and see how many they are": async (hand, { draft, person }) => {
    await write(hand, draft);
    await hand.choose("To", "FILTERED");
    await hand.click("Add a condition");
    await hand.type("Value", person);
    await hand.click("Apply");
    await hand.page.getByRole("region", { name: "Audience" }).getByText("In the audience").waitFor();
  },
  "schedule a campaign": async (hand, { planned }) => {
    await write(hand, planned);
    await hand.click("Check everybody's mail");
    await hand.pick("Later");
    await hand.type("Time", later());
    await hand.click(/^Send to .* on /);
    await hand.see("It is sent on");
  },
  "pause a campaign that goes out": async (hand, { sending }) => {
    await hand.click("Campaigns", "link");
    await hand.click(sending.name, "link");
    await hand.click("Pause");
    await hand.see("Somebody paused it.");
  },
  "cancel a campaign that goes out": async (hand, { sending }) => {
    await hand.click("Campaigns", "link");
    await hand.click(sending.name, "link");
    await hand.click("Cancel it");
    await hand.confirm("Cancel it");
    await hand.page.getByRole("button", { name: "Cancel it" }).first().waitFor({ state: "detached" });
  },
  "take back a campaign that is scheduled": async (hand, { planned }) => {
    await hand.click("Campaigns", "link");
    await hand.click(planned.name, "link");
    await hand.click("Edit", "link");
    await hand.click("Take it back");
    await hand.page.getByRole("button", { name: "Check everybody's mail" }).waitFor();
  },
  "save people as a segment": async (hand, { person }) => {
    await hand.click("People", "link");
    await hand.click("Add a condition");
    await hand.type("Value", person);
    await hand.click("Apply");
    await hand.click("Save as a segment");
    await hand.type("Name of the segment", "Only one");
    await hand.confirm("Save");
    await hand.see("The segment Only one was saved.");
  },
  "send a failed mail again": async (hand, { failed }) => {
    await hand.click("To these emails", "link");
    await hand.click(failed, "link");
    // The address refuses the mail again.
    const answered = hand.page.waitForResponse((answer) => answer.url().endsWith("/retry"));
    await hand.click("Send again");
    await answered;
  },
  "begin an email with the last one, look at it as the worst person, and have it checked": async (
    hand,
    { campaign },
  ) => {
    await hand.click("Campaigns", "link");
    await hand.click(campaign.name, "link");
    await hand.click("Duplicate");
    await hand.page.waitForURL(/\/edit$/);
    await hand.click("Check everybody's mail");
    await hand.page.getByRole("button", { name: /^Send to/ }).waitFor();
  },
  "add a domain, and read its records": async (hand) => {
    await hand.click("Domains", "link");
    await hand.type("Domain", "jobs.test");
    await hand.click("Add a domain");
    await hand.page.getByRole("region", { name: "jobs.test" }).waitFor();
  },
  "add a topic": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("Topics", "link");
    await hand.click("Add a topic");
    await hand.page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Offers");
    await hand.confirm("Save");
    await hand.page.getByRole("listitem").filter({ hasText: "Offers" }).waitFor();
  },
  "make a key, and copy its first call": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("Keys", "link");
    await hand.type("Name", "Shop");
    await hand.click("Make a key");
    await hand.see("Tried just now");
  },
  "invite somebody": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("People and roles", "link");
    await hand.type("Their email address", "grace@bench.test");
    await hand.click("Invite");
    await hand.see("The invitation is on its way.");
  },
  "change the company and the address in the footer": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("Project", "link");
    await hand.type("Company", "Acme Ltd");
    await hand.type("Postal address", "1 Main Street");
    await hand.click("Save");
    await hand.see("Saved");
  },
  "change what somebody may do": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("People and roles", "link");
    await hand.click("grace@bench.test");
    const dialog = hand.page.getByRole("dialog");
    await dialog.waitFor();
    hand.clicks++;
    await dialog.getByRole("combobox", { name: "Role" }).selectOption("viewer");
    await hand.confirm("Save");
    await dialog.waitFor({ state: "detached" });
  },
  "see who did that": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("Audit log", "link");
    await hand.see("inviteMember");
  },
};

/** Does each job once, in a browser that has visited the console before. Returns clicks and seconds by job. */
export async function doJobs(context, start, world) {
  const done = {};
  const page = await context.newPage();
  for (const [name, job] of Object.entries(jobs)) {
    await page.goto(start, { waitUntil: "networkidle" });
    const hand = new Hand(page);
    const startedAt = performance.now();
    await job(hand, world);
    done[name] = { clicks: hand.clicks, seconds: (performance.now() - startedAt) / 1_000 };
  }
  await page.close();
  return done;
}

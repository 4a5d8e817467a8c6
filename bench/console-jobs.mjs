import { performance } from "node:perf_hooks";

/** The hand of a person: it counts what it clicks and chooses, and what it confirms by a key. Typing is no click. */
class Hand {
  clicks = 0;

  constructor(page) {
    this.page = page;
  }

  async click(name, role = "button") {
    this.clicks++;
    await this.page.getByRole(role, { name }).first().click();
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

/** Jobs of a person, each from the start page until its end is seen. `world` has names of what is there. */
const jobs = {
  "see whether all is well": async (hand) => hand.see(/(things? needs? you|all is well|Nothing needs you)/i),
  "find out why one person got nothing": async (hand, { person, campaign }) => {
    await hand.find(person, person);
    await hand.page.getByRole("heading", { level: 1, name: person }).waitFor();
    await hand.choose("Campaign", campaign.id);
    const answer = hand.page.getByRole("status").filter({ hasText: /received|not known/i });
    await answer.first().waitFor();
  },
  "find one mail, and read it as its recipient saw it": async (hand, { reader, subject }) => {
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
  "begin a mail with the last one, look at it as the worst person, and have it checked": async (hand, { campaign }) => {
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
  "invite somebody": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("People and roles", "link");
    await hand.type("Their email address", "grace@bench.test");
    await hand.click("Invite");
    await hand.see("The invitation is on its way.");
  },
  "see who did that": async (hand) => {
    await hand.click("Settings", "link");
    await hand.click("Audit log", "link");
    await hand.see("inviteMember");
  },
};

/** Does each job once in a browser that knows the console. Returns clicks and seconds by job. */
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

import { counting } from "../counting";

const counted = counting("en");

export const home = {
  title: "Home",
  quiet: "No mail went out in the last seven days.",
  verdict: (sent: string, delivered: string) => `${sent} in the last seven days, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} sent`,
    other: (count) => `${count} sent`,
  }),
  delivered: counted({
    one: (count) => `${count} delivered`,
    other: (count) => `${count} delivered`,
  }),
  trouble: (bounced: string, complained: string) => `Bounced: ${bounced}. Reported as spam: ${complained}.`,
  days: "Seven days, and the seven before behind them",
  columns: {
    sent: "Sent",
    delivered: "Delivered",
    opened: "Opened",
    clicked: "Clicked",
    bounced: "Bounced",
    complained: "Spam reports",
    events: "Events",
  },
  before: (amount: string) => `${amount} the week before`,
  upcoming: "What comes next",
  nothingComes: "Nothing is scheduled.",
  upcomingTypes: {
    "campaign.scheduled": "Campaign",
    "email.scheduled": "Mail",
    "workflow.waiting": "Workflow",
  } as Record<string, string>,
  week: "The next seven days",
  attention: "What needs a hand",
  allWell: "Nothing needs you.",
  needsYou: counted({
    one: (count) => `${count} thing needs you.`,
    other: (count) => `${count} things need you.`,
  }),
  severity: { act: "Something does not go out", warn: "Look at it soon", info: "A step of the set-up" },
  goTo: {
    domains: "To the domains",
    campaign: "To the campaign",
    emails: "To these emails",
    keys: "To the keys",
    jobs: "To the jobs",
    project: "To the project",
  },
  steps: "First steps",
  step: { domain: "A domain is verified", person: "There are people", mail: "A first mail was sent" },
  done: "done",
  open: "open",
};

import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("nl");

export const home: Words["home"] = {
  title: "Start",
  quiet: "De laatste zeven dagen ging er geen e-mail uit.",
  verdict: (sent, delivered) => `De laatste zeven dagen: ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} verzonden`,
    other: (count) => `${count} verzonden`,
  }),
  delivered: counted({
    one: (count) => `${count} bezorgd`,
    other: (count) => `${count} bezorgd`,
  }),
  trouble: (bounced, complained) => `Geweigerd: ${bounced}. Als spam gemeld: ${complained}.`,
  days: "Zeven dagen, met daarachter de zeven ervoor",
  columns: {
    sent: "Verzonden",
    delivered: "Bezorgd",
    opened: "Geopend",
    clicked: "Geklikt",
    bounced: "Geweigerd",
    complained: "Klachten",
    events: "Gebeurtenissen",
  },
  before: (amount) => `${amount} de week ervoor`,
  upcoming: "Wat er komt",
  nothingComes: "Niets gepland.",
  upcomingTypes: { "campaign.scheduled": "Campagne", "email.scheduled": "E-mail", "workflow.waiting": "Workflow" },
  week: "De komende zeven dagen",
  attention: "Wat aandacht nodig heeft",
  allWell: "Niets heeft u nodig.",
  needsYou: counted({
    one: (count) => `${count} ding heeft u nodig.`,
    other: (count) => `${count} dingen hebben u nodig.`,
  }),
  severity: { act: "Er gaat iets niet uit", warn: "Kijk er snel naar", info: "Een stap van de inrichting" },
  goTo: {
    domains: "Naar de domeinen",
    campaign: "Naar de campagne",
    emails: "Naar deze e-mails",
    keys: "Naar de sleutels",
    jobs: "Naar de taken",
    project: "Naar het project",
  },
  steps: "Eerste stappen",
  step: {
    domain: "Een domein is bevestigd",
    person: "Er zijn personen",
    mail: "Een eerste e-mail is verzonden",
  },
  done: "klaar",
  open: "open",
};

import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Start",
  quiet: "De laatste zeven dagen ging er geen e-mail uit.",
  verdict: (sent, delivered) => `De laatste zeven dagen: ${sent} verzonden, ${delivered} bezorgd.`,
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
  before: (count) => `${count} de week ervoor`,
  upcoming: "Wat er komt",
  nothingComes: "Niets gepland.",
  upcomingTypes: { "campaign.scheduled": "Campagne", "email.scheduled": "E-mail", "workflow.waiting": "Workflow" },
  steps: "Eerste stappen",
  step: {
    domain: "Een domein is bevestigd",
    person: "Er zijn personen",
    mail: "Een eerste e-mail is verzonden",
  },
  done: "klaar",
  open: "open",
};

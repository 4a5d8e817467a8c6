import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Inizio",
  quiet: "Negli ultimi sette giorni non è partita alcuna e-mail.",
  verdict: (sent, delivered) => `Negli ultimi sette giorni: ${sent} inviate, ${delivered} consegnate.`,
  trouble: (bounced, complained) => `Respinte: ${bounced}. Segnalate come spam: ${complained}.`,
  days: "Sette giorni, e dietro i sette precedenti",
  columns: {
    sent: "Inviate",
    delivered: "Consegnate",
    opened: "Aperte",
    clicked: "Cliccate",
    bounced: "Respinte",
    complained: "Reclami",
    events: "Eventi",
  },
  before: (count) => `${count} la settimana prima`,
  upcoming: "In arrivo",
  nothingComes: "Nulla in programma.",
  upcomingTypes: { "campaign.scheduled": "Campagna", "email.scheduled": "E-mail", "workflow.waiting": "Flusso" },
  steps: "Primi passi",
  step: {
    domain: "Un dominio è verificato",
    person: "Ci sono persone",
    mail: "Una prima e-mail è partita",
  },
  done: "fatto",
  open: "da fare",
};

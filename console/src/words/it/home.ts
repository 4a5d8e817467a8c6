import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("it");

export const home: Words["home"] = {
  title: "Inizio",
  quiet: "Negli ultimi sette giorni non è partita alcuna e-mail.",
  verdict: (sent, delivered) => `Negli ultimi sette giorni: ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} inviata`,
    many: (count) => `${count} inviate`,
    other: (count) => `${count} inviate`,
  }),
  delivered: counted({
    one: (count) => `${count} consegnata`,
    many: (count) => `${count} consegnate`,
    other: (count) => `${count} consegnate`,
  }),
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
  before: (amount) => `${amount} la settimana prima`,
  upcoming: "In arrivo",
  nothingComes: "Nulla in programma.",
  upcomingTypes: { "campaign.scheduled": "Campagna", "email.scheduled": "E-mail", "workflow.waiting": "Flusso" },
  week: "I prossimi sette giorni",
  attention: "Che cosa richiede attenzione",
  allWell: "Nulla richiede attenzione.",
  needsYou: counted({
    one: (count) => `${count} cosa richiede attenzione.`,
    many: (count) => `${count} di cose richiedono attenzione.`,
    other: (count) => `${count} cose richiedono attenzione.`,
  }),
  severity: { act: "Qualcosa non parte", warn: "Da guardare presto", info: "Un passo della configurazione" },
  goTo: {
    domains: "Ai domini",
    campaign: "Alla campagna",
    emails: "A queste e-mail",
    keys: "Alle chiavi",
    jobs: "Ai lavori",
    project: "Al progetto",
  },
  steps: "Primi passi",
  step: {
    domain: "Un dominio è verificato",
    person: "Ci sono persone",
    mail: "Una prima e-mail è partita",
  },
  done: "fatto",
  open: "da fare",
};

import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("fr");

export const home: Words["home"] = {
  title: "Accueil",
  quiet: "Aucun e-mail n'est parti ces sept derniers jours.",
  verdict: (sent, delivered) => `Ces sept derniers jours : ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} envoyé`,
    many: (count) => `${count} envoyés`,
    other: (count) => `${count} envoyés`,
  }),
  delivered: counted({
    one: (count) => `${count} remis`,
    many: (count) => `${count} remis`,
    other: (count) => `${count} remis`,
  }),
  trouble: (bounced, complained) => `Rejetés : ${bounced}. Signalés comme spam : ${complained}.`,
  days: "Sept jours, et les sept précédents derrière",
  columns: {
    sent: "Envoyés",
    delivered: "Remis",
    opened: "Ouverts",
    clicked: "Cliqués",
    bounced: "Rejetés",
    complained: "Plaintes",
    events: "Événements",
  },
  before: (amount) => `${amount} la semaine d'avant`,
  upcoming: "À venir",
  nothingComes: "Rien n'est prévu.",
  upcomingTypes: { "campaign.scheduled": "Campagne", "email.scheduled": "E-mail", "workflow.waiting": "Workflow" },
  week: "Les sept prochains jours",
  attention: "À faire",
  allWell: "Rien ne vous attend.",
  needsYou: counted({
    one: (count) => `${count} chose vous attend.`,
    many: (count) => `${count} de choses vous attendent.`,
    other: (count) => `${count} choses vous attendent.`,
  }),
  severity: { act: "Quelque chose ne part pas", warn: "À voir bientôt", info: "Une étape de la mise en place" },
  goTo: {
    domains: "Aux domaines",
    campaign: "À la campagne",
    emails: "À ces e-mails",
    keys: "Aux clés",
    jobs: "Aux tâches",
    project: "Au projet",
  },
  steps: "Premiers pas",
  step: {
    domain: "Un domaine est vérifié",
    person: "Il y a des personnes",
    mail: "Un premier e-mail est parti",
  },
  done: "fait",
  open: "à faire",
};

import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Accueil",
  quiet: "Aucun e-mail n'est parti ces sept derniers jours.",
  verdict: (sent, delivered) => `Ces sept derniers jours : ${sent} envoyés, ${delivered} remis.`,
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
  before: (count) => `${count} la semaine d'avant`,
  upcoming: "À venir",
  nothingComes: "Rien n'est prévu.",
  upcomingTypes: { "campaign.scheduled": "Campagne", "email.scheduled": "E-mail", "workflow.waiting": "Workflow" },
  steps: "Premiers pas",
  step: {
    domain: "Un domaine est vérifié",
    person: "Il y a des personnes",
    mail: "Un premier e-mail est parti",
  },
  done: "fait",
  open: "à faire",
};

import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Start",
  quiet: "In den letzten sieben Tagen ging keine E-Mail aus.",
  verdict: (sent, delivered) => `In den letzten sieben Tagen ${sent} gesendet, ${delivered} zugestellt.`,
  trouble: (bounced, complained) => `Unzustellbar: ${bounced}. Als Spam gemeldet: ${complained}.`,
  days: "Sieben Tage, dahinter die sieben davor",
  columns: {
    sent: "Gesendet",
    delivered: "Zugestellt",
    opened: "Geöffnet",
    clicked: "Geklickt",
    bounced: "Unzustellbar",
    complained: "Spam-Meldungen",
    events: "Ereignisse",
  },
  before: (count) => `${count} in der Woche davor`,
  upcoming: "Was ansteht",
  nothingComes: "Nichts ist geplant.",
  upcomingTypes: { "campaign.scheduled": "Kampagne", "email.scheduled": "E-Mail", "workflow.waiting": "Workflow" },
  steps: "Erste Schritte",
  step: {
    domain: "Eine Domain ist bestätigt",
    person: "Es gibt Personen",
    mail: "Eine erste E-Mail wurde gesendet",
  },
  done: "erledigt",
  open: "offen",
};

import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("de");

export const home: Words["home"] = {
  title: "Start",
  quiet: "In den letzten sieben Tagen ging keine E-Mail aus.",
  verdict: (sent, delivered) => `In den letzten sieben Tagen ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} gesendet`,
    other: (count) => `${count} gesendet`,
  }),
  delivered: counted({
    one: (count) => `${count} zugestellt`,
    other: (count) => `${count} zugestellt`,
  }),
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
  before: (amount) => `${amount} in der Woche davor`,
  upcoming: "Was ansteht",
  nothingComes: "Nichts ist geplant.",
  upcomingTypes: { "campaign.scheduled": "Kampagne", "email.scheduled": "E-Mail", "workflow.waiting": "Workflow" },
  week: "Die nächsten sieben Tage",
  attention: "Was Sie tun sollten",
  allWell: "Es gibt nichts zu tun.",
  needsYou: counted({
    one: (count) => `${count} Sache braucht Sie.`,
    other: (count) => `${count} Dinge brauchen Sie.`,
  }),
  severity: { act: "Etwas geht nicht hinaus", warn: "Bald ansehen", info: "Ein Schritt der Einrichtung" },
  goTo: {
    domains: "Zu den Domains",
    campaign: "Zur Kampagne",
    emails: "Zu diesen E-Mails",
    keys: "Zu den Schlüsseln",
    jobs: "Zu den Aufträgen",
    project: "Zum Projekt",
  },
  steps: "Erste Schritte",
  step: {
    domain: "Eine Domain ist bestätigt",
    person: "Es gibt Personen",
    mail: "Eine erste E-Mail wurde gesendet",
  },
  done: "erledigt",
  open: "offen",
};

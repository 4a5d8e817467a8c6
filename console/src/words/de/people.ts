import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("de");

export const people: Words["people"] = {
  search: "Teil einer Adresse",
  count: counted({
    one: (count) => `${count} Person`,
    other: (count) => `${count} Personen`,
  }),
  add: "Person hinzufügen",
  email: "Adresse",
  subscribed: "Abonniert",
  notSubscribed: "Nicht abonniert",
  snoozed: "Pausiert",
  since: "Seit",
  none: "Hier ist noch niemand",
  noneAdvice: "Personen kommen durch einen Import, ein Formular Ihrer Website oder die erste E-Mail an sie.",
  noMatch: "Niemand erfüllt diese Bedingungen",
  saveSegment: "Als Segment speichern",
  segmentName: "Name des Segments",
  saved: (name) => `Das Segment ${name} wurde gespeichert.`,
  columns: "Spalten",
  bulk: {
    all: counted({
      one: () => "Die einzige Person auswählen",
      other: (total) => `Alle ${total} auswählen`,
    }),
    selected: (who) => `${who} ausgewählt`,
    clear: "Auswahl aufheben",
    subscribe: "Abonnieren",
    unsubscribe: "Abmelden",
    delete: "Löschen",
    title: {
      subscribe: (who) => `${who} abonnieren?`,
      unsubscribe: (who) => `${who} abmelden?`,
      delete: (who) => `${who} löschen?`,
    },
    advice: {
      subscribe: "Nur wenn sie darum gebeten haben. Gesperrte Adressen bekommen weiterhin keine E-Mails.",
      unsubscribe: "Sie bekommen keine Kampagnen mehr. Notwendige E-Mails, etwa Rechnungen, kommen weiterhin.",
      delete: "Ihre Daten, Ereignisse und E-Mails werden endgültig gelöscht.",
    },
    running: "Läuft",
    done: (changed, unchanged) => `Fertig: ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} geändert`,
      other: (count) => `${count} geändert`,
    }),
    unchanged: counted({
      one: (count) => `${count} war schon so`,
      other: (count) => `${count} waren schon so`,
    }),
  },
};

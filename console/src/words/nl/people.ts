import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("nl");

export const people: Words["people"] = {
  search: "Deel van een adres",
  count: counted({
    one: (count) => `${count} persoon`,
    other: (count) => `${count} personen`,
  }),
  add: "Een persoon toevoegen",
  email: "Adres",
  subscribed: "Geabonneerd",
  notSubscribed: "Niet geabonneerd",
  snoozed: "Gepauzeerd",
  since: "Sinds",
  none: "Hier is nog niemand",
  noneAdvice: "Personen komen door een import, een formulier op uw site of de eerste e-mail aan hen.",
  noMatch: "Niemand voldoet aan deze voorwaarden",
  saveSegment: "Opslaan als segment",
  segmentName: "Naam van het segment",
  saved: (name) => `Het segment ${name} is opgeslagen.`,
  columns: "Kolommen",
  bulk: {
    all: counted({
      one: () => "De enige persoon selecteren",
      other: (total) => `Alle ${total} selecteren`,
    }),
    selected: (who) => `${who} geselecteerd`,
    clear: "Selectie wissen",
    subscribe: "Aanmelden",
    unsubscribe: "Afmelden",
    delete: "Wissen",
    title: {
      subscribe: (who) => `${who} aanmelden?`,
      unsubscribe: (who) => `${who} afmelden?`,
      delete: (who) => `${who} wissen?`,
    },
    advice: {
      subscribe: "Alleen als ze erom hebben gevraagd. Geblokkeerde adressen krijgen nog steeds geen e-mail.",
      unsubscribe: "Ze krijgen geen campagnes meer. Noodzakelijke e-mail, zoals bonnen, komt nog wel.",
      delete: "Hun gegevens, gebeurtenissen en e-mails worden definitief gewist.",
    },
    running: "Bezig",
    done: (changed, unchanged) => `Klaar: ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} gewijzigd`,
      other: (count) => `${count} gewijzigd`,
    }),
    unchanged: counted({
      one: (count) => `${count} was al zo`,
      other: (count) => `${count} waren al zo`,
    }),
  },
};

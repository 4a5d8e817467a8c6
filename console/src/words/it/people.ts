import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("it");

export const people: Words["people"] = {
  search: "Parte di un indirizzo",
  count: counted({
    one: (count) => `${count} persona`,
    many: (count) => `${count} di persone`,
    other: (count) => `${count} persone`,
  }),
  add: "Aggiungi una persona",
  email: "Indirizzo",
  subscribed: "Iscritta",
  notSubscribed: "Non iscritta",
  snoozed: "In pausa",
  since: "Dal",
  none: "Non c'è ancora nessuno",
  noneAdvice: "Le persone arrivano con un'importazione, un modulo del tuo sito o la prima e-mail che ricevono.",
  noMatch: "Nessuno soddisfa queste condizioni",
  saveSegment: "Salva come segmento",
  segmentName: "Nome del segmento",
  saved: (name) => `Il segmento ${name} è salvato.`,
  columns: "Colonne",
  bulk: {
    all: counted({
      one: () => "Seleziona l'unica persona",
      many: (total) => `Seleziona tutte: ${total}`,
      other: (total) => `Seleziona tutte le ${total}`,
    }),
    selected: (who) => `Selezione: ${who}`,
    clear: "Annulla la selezione",
    subscribe: "Iscrivi",
    unsubscribe: "Disiscrivi",
    delete: "Cancella",
    title: {
      subscribe: (who) => `Iscrivere ${who}?`,
      unsubscribe: (who) => `Disiscrivere ${who}?`,
      delete: (who) => `Cancellare ${who}?`,
    },
    advice: {
      subscribe: "Solo se l’hanno chiesto. Gli indirizzi bloccati continuano a non ricevere e-mail.",
      unsubscribe: "Non ricevono più campagne. Le e-mail necessarie, come le ricevute, continuano.",
      delete: "I loro dati, eventi ed e-mail vengono cancellati per sempre.",
    },
    running: "In corso",
    done: (changed, unchanged) => `Fatto: ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} modificata`,
      many: (count) => `${count} modificate`,
      other: (count) => `${count} modificate`,
    }),
    unchanged: counted({
      one: (count) => `${count} lo era già`,
      many: (count) => `${count} lo erano già`,
      other: (count) => `${count} lo erano già`,
    }),
  },
};

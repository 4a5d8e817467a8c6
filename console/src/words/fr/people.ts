import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("fr");

export const people: Words["people"] = {
  search: "Une partie d'une adresse",
  count: counted({
    one: (count) => `${count} personne`,
    many: (count) => `${count} de personnes`,
    other: (count) => `${count} personnes`,
  }),
  add: "Ajouter une personne",
  email: "Adresse",
  subscribed: "Abonné",
  notSubscribed: "Non abonné",
  snoozed: "En pause",
  since: "Depuis",
  none: "Il n'y a encore personne",
  noneAdvice:
    "Les personnes arrivent par un import, un formulaire de votre site ou le premier e-mail qui leur est envoyé.",
  noMatch: "Personne ne remplit ces conditions",
  saveSegment: "Enregistrer comme segment",
  segmentName: "Nom du segment",
  saved: (name) => `Le segment ${name} est enregistré.`,
  columns: "Colonnes",
  bulk: {
    all: counted({
      one: () => "Sélectionner la seule personne",
      many: (total) => `Sélectionner les ${total}`,
      other: (total) => `Sélectionner les ${total}`,
    }),
    selected: (who) => `Sélection : ${who}`,
    clear: "Effacer la sélection",
    subscribe: "Abonner",
    unsubscribe: "Désabonner",
    delete: "Effacer",
    title: {
      subscribe: (who) => `Abonner ${who} ?`,
      unsubscribe: (who) => `Désabonner ${who} ?`,
      delete: (who) => `Effacer ${who} ?`,
    },
    advice: {
      subscribe: "Seulement si elles l’ont demandé. Les adresses bloquées ne reçoivent toujours rien.",
      unsubscribe: "Elles ne reçoivent plus de campagnes. Les e-mails nécessaires, comme les reçus, continuent.",
      delete: "Leurs données, événements et e-mails sont effacés définitivement.",
    },
    running: "En cours",
    done: (changed, unchanged) => `Terminé : ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} modifiée`,
      many: (count) => `${count} modifiées`,
      other: (count) => `${count} modifiées`,
    }),
    unchanged: counted({
      one: (count) => `${count} l’était déjà`,
      many: (count) => `${count} l’étaient déjà`,
      other: (count) => `${count} l’étaient déjà`,
    }),
  },
};

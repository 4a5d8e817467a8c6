import type { Words } from "../words";

export const people: Words["people"] = {
  search: "Une partie d'une adresse",
  count: (count, isOne) => `${count} ${isOne ? "personne" : "personnes"}`,
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
    all: (total) => `Sélectionner les ${total}`,
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
    done: (changed, unchanged) => `Terminé : ${changed} modifiées, ${unchanged} l’étaient déjà.`,
  },
};

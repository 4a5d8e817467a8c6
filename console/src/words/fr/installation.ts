import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Projets", people: "Propriétaires et personnes", audit: "Journal" },
  projects: {
    name: "Nom du projet",
    testClock: "Avec une horloge que les tests règlent",
    make: "Créer un projet",
    made: "C’est fait.",
    none: "Il n’y a pas encore de projet",
  },
  people: {
    asOwner: "Propriétaire de l’installation",
    ownerLead: "Un propriétaire peut tout faire, dans tous les projets. Les autres sont ajoutés à chaque projet.",
    member: "Membre",
    noProjects: "Membre d’aucun projet",
    allProjects: "Tous, en tant que propriétaire",
    removeAdvice: "En 30 secondes, cette personne est déconnectée partout et n’a plus accès à aucun projet.",
  },
  audit: {
    noneAdvice: "Les projets créés et supprimés, les propriétaires et les clés de l’installation apparaissent ici.",
  },
};

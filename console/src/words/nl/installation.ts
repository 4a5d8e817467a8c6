import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Projecten", people: "Eigenaars en personen", audit: "Logboek" },
  projects: {
    name: "Naam van het project",
    testClock: "Met een klok die tests verzetten",
    make: "Project maken",
    made: "Het is er.",
    none: "Er is nog geen project",
  },
  people: {
    asOwner: "Eigenaar van de installatie",
    ownerLead: "Een eigenaar mag alles, in alle projecten. Anderen worden aan elk project apart toegevoegd.",
    member: "Lid",
    noProjects: "Lid van geen enkel project",
    allProjects: "Alle, als eigenaar",
    removeAdvice: "Binnen 30 seconden is deze persoon overal afgemeld en uit alle projecten.",
  },
  audit: { noneAdvice: "Nieuwe en verwijderde projecten, eigenaars en sleutels van de installatie verschijnen hier." },
};

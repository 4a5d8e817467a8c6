import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Progetti", people: "Proprietari e persone", audit: "Registro" },
  projects: {
    name: "Nome del progetto",
    testClock: "Con un orologio spostato dai test",
    make: "Crea un progetto",
    made: "È pronto.",
    none: "Non c’è ancora nessun progetto",
  },
  people: {
    asOwner: "Proprietario dell’installazione",
    ownerLead: "Un proprietario può fare tutto, in tutti i progetti. Gli altri si aggiungono ai progetti uno per uno.",
    member: "Membro",
    noProjects: "Membro di nessun progetto",
    allProjects: "Tutti, come proprietario",
    removeAdvice: "Entro 30 secondi esce da ogni sessione e da tutti i progetti.",
  },
  audit: { noneAdvice: "Qui compaiono i progetti creati ed eliminati, i proprietari e le chiavi dell’installazione." },
};

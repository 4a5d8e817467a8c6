import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Projetos", people: "Titulares e pessoas", audit: "Registro" },
  projects: {
    name: "Nome do projeto",
    testClock: "Com um relógio que os testes movem",
    make: "Criar um projeto",
    made: "Está pronto.",
    none: "Ainda não há nenhum projeto",
  },
  people: {
    asOwner: "Titular da instalação",
    ownerLead: "Um titular pode fazer tudo, em todos os projetos. Os outros são adicionados a cada projeto.",
    member: "Membro",
    noProjects: "Membro de nenhum projeto",
    allProjects: "Todos, como titular",
    removeAdvice: "Em 30 segundos, a pessoa sai de todas as sessões e de todos os projetos.",
  },
  audit: { noneAdvice: "Os projetos criados e excluídos, os titulares e as chaves da instalação aparecem aqui." },
};

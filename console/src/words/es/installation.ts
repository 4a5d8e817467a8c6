import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Proyectos", people: "Titulares y personas", audit: "Registro" },
  projects: {
    name: "Nombre del proyecto",
    testClock: "Con un reloj que mueven las pruebas",
    make: "Crear un proyecto",
    made: "Ya está.",
    none: "Todavía no hay ningún proyecto",
  },
  people: {
    asOwner: "Titular de la instalación",
    ownerLead:
      "Un titular puede hacerlo todo, en todos los proyectos. A los demás se los añade a proyectos uno por uno.",
    member: "Miembro",
    noProjects: "No es miembro de ningún proyecto",
    allProjects: "Todos, como titular",
    removeAdvice: "En 30 segundos se cierra su sesión en todas partes y sale de todos los proyectos.",
  },
  audit: {
    noneAdvice: "Aquí aparecen los proyectos nuevos y eliminados, los titulares y las claves de la instalación.",
  },
};

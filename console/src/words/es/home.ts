import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("es");

export const home: Words["home"] = {
  title: "Inicio",
  quiet: "En los últimos siete días no ha salido ningún correo.",
  verdict: (sent, delivered) => `En los últimos siete días: ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} enviado`,
    many: (count) => `${count} enviados`,
    other: (count) => `${count} enviados`,
  }),
  delivered: counted({
    one: (count) => `${count} entregado`,
    many: (count) => `${count} entregados`,
    other: (count) => `${count} entregados`,
  }),
  trouble: (bounced, complained) => `Rebotados: ${bounced}. Marcados como spam: ${complained}.`,
  days: "Siete días, y detrás los siete anteriores",
  columns: {
    sent: "Enviados",
    delivered: "Entregados",
    opened: "Abiertos",
    clicked: "Con clic",
    bounced: "Rebotados",
    complained: "Quejas",
    events: "Eventos",
  },
  before: (amount) => `${amount} la semana anterior`,
  upcoming: "Lo próximo",
  nothingComes: "No hay nada programado.",
  upcomingTypes: { "campaign.scheduled": "Campaña", "email.scheduled": "Correo", "workflow.waiting": "Flujo" },
  week: "Los próximos siete días",
  attention: "Qué necesita su ayuda",
  allWell: "Nada requiere su atención.",
  needsYou: counted({
    one: (count) => `${count} cosa requiere su atención.`,
    many: (count) => `${count} de cosas requieren su atención.`,
    other: (count) => `${count} cosas requieren su atención.`,
  }),
  severity: { act: "Algo no sale", warn: "Véalo pronto", info: "Un paso de la puesta en marcha" },
  goTo: {
    domains: "A los dominios",
    campaign: "A la campaña",
    emails: "A estos correos",
    keys: "A las claves",
    jobs: "A las tareas",
    project: "Al proyecto",
  },
  steps: "Primeros pasos",
  step: {
    domain: "Un dominio está verificado",
    person: "Hay personas",
    mail: "Se ha enviado un primer correo",
  },
  done: "hecho",
  open: "pendiente",
};

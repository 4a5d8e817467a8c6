import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Inicio",
  quiet: "En los últimos siete días no ha salido ningún correo.",
  verdict: (sent, delivered) => `En los últimos siete días: ${sent} enviados, ${delivered} entregados.`,
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
  before: (count) => `${count} la semana anterior`,
  upcoming: "Lo próximo",
  nothingComes: "No hay nada programado.",
  upcomingTypes: { "campaign.scheduled": "Campaña", "email.scheduled": "Correo", "workflow.waiting": "Flujo" },
  steps: "Primeros pasos",
  step: {
    domain: "Un dominio está verificado",
    person: "Hay personas",
    mail: "Se ha enviado un primer correo",
  },
  done: "hecho",
  open: "pendiente",
};

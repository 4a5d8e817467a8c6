import type { Words } from "../words";

export const home: Words["home"] = {
  title: "Início",
  quiet: "Nos últimos sete dias não saiu nenhum e-mail.",
  verdict: (sent, delivered) => `Nos últimos sete dias: ${sent} enviados, ${delivered} entregues.`,
  trouble: (bounced, complained) => `Devolvidos: ${bounced}. Denunciados como spam: ${complained}.`,
  days: "Sete dias, e os sete anteriores por trás",
  columns: {
    sent: "Enviados",
    delivered: "Entregues",
    opened: "Abertos",
    clicked: "Clicados",
    bounced: "Devolvidos",
    complained: "Queixas",
    events: "Eventos",
  },
  before: (count) => `${count} na semana anterior`,
  upcoming: "O que vem a seguir",
  nothingComes: "Nada agendado.",
  upcomingTypes: { "campaign.scheduled": "Campanha", "email.scheduled": "E-mail", "workflow.waiting": "Fluxo" },
  steps: "Primeiros passos",
  step: {
    domain: "Um domínio está verificado",
    person: "Há pessoas",
    mail: "Foi enviado um primeiro e-mail",
  },
  done: "feito",
  open: "por fazer",
};

import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("pt");

export const home: Words["home"] = {
  title: "Início",
  quiet: "Nos últimos sete dias não saiu nenhum e-mail.",
  verdict: (sent, delivered) => `Nos últimos sete dias: ${sent}, ${delivered}.`,
  sent: counted({
    one: (count) => `${count} enviado`,
    many: (count) => `${count} enviados`,
    other: (count) => `${count} enviados`,
  }),
  delivered: counted({
    one: (count) => `${count} entregue`,
    many: (count) => `${count} entregues`,
    other: (count) => `${count} entregues`,
  }),
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
  before: (amount) => `${amount} na semana anterior`,
  upcoming: "O que vem a seguir",
  nothingComes: "Nada agendado.",
  upcomingTypes: { "campaign.scheduled": "Campanha", "email.scheduled": "E-mail", "workflow.waiting": "Fluxo" },
  week: "Os próximos sete dias",
  attention: "O que precisa de si",
  allWell: "Nada precisa de si.",
  needsYou: counted({
    one: (count) => `${count} coisa precisa de si.`,
    many: (count) => `${count} de coisas precisam de si.`,
    other: (count) => `${count} coisas precisam de si.`,
  }),
  severity: { act: "Algo não sai", warn: "Veja em breve", info: "Um passo da configuração" },
  goTo: {
    domains: "Para os domínios",
    campaign: "Para a campanha",
    emails: "Para estes e-mails",
    keys: "Para as chaves",
    jobs: "Para as tarefas",
    project: "Para o projeto",
  },
  steps: "Primeiros passos",
  step: {
    domain: "Um domínio está verificado",
    person: "Há pessoas",
    mail: "Foi enviado um primeiro e-mail",
  },
  done: "feito",
  open: "por fazer",
};

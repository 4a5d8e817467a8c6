import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("pt");

export const people: Words["people"] = {
  search: "Parte de um endereço",
  count: counted({
    one: (count) => `${count} pessoa`,
    many: (count) => `${count} de pessoas`,
    other: (count) => `${count} pessoas`,
  }),
  add: "Adicionar uma pessoa",
  email: "Endereço",
  subscribed: "Subscrita",
  notSubscribed: "Não subscrita",
  snoozed: "Em pausa",
  since: "Desde",
  none: "Ainda não há ninguém",
  noneAdvice: "As pessoas chegam por uma importação, um formulário do seu site ou o primeiro e-mail que recebem.",
  noMatch: "Ninguém cumpre estas condições",
  saveSegment: "Guardar como segmento",
  segmentName: "Nome do segmento",
  saved: (name) => `O segmento ${name} foi guardado.`,
  columns: "Colunas",
  bulk: {
    all: counted({
      one: () => "Selecionar a única pessoa",
      many: (total) => `Selecionar todas: ${total}`,
      other: (total) => `Selecionar todas as ${total}`,
    }),
    selected: (who) => `Seleção: ${who}`,
    clear: "Limpar a seleção",
    subscribe: "Inscrever",
    unsubscribe: "Cancelar a inscrição",
    delete: "Apagar",
    title: {
      subscribe: (who) => `Inscrever ${who}?`,
      unsubscribe: (who) => `Cancelar a inscrição de ${who}?`,
      delete: (who) => `Apagar ${who}?`,
    },
    advice: {
      subscribe: "Só se o pediram. Os endereços bloqueados continuam a não receber e-mails.",
      unsubscribe: "Deixam de receber campanhas. Os e-mails necessários, como recibos, continuam.",
      delete: "Os seus dados, eventos e e-mails são apagados para sempre.",
    },
    running: "Em curso",
    done: (changed, unchanged) => `Concluído: ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} alterada`,
      many: (count) => `${count} alteradas`,
      other: (count) => `${count} alteradas`,
    }),
    unchanged: counted({
      one: (count) => `${count} já estava assim`,
      many: (count) => `${count} já estavam assim`,
      other: (count) => `${count} já estavam assim`,
    }),
  },
};

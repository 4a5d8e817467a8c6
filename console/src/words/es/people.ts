import { counting } from "../counting";
import type { Words } from "../words";

const counted = counting("es");

export const people: Words["people"] = {
  search: "Parte de una dirección",
  count: counted({
    one: (count) => `${count} persona`,
    many: (count) => `${count} de personas`,
    other: (count) => `${count} personas`,
  }),
  add: "Añadir una persona",
  email: "Dirección",
  subscribed: "Suscrita",
  notSubscribed: "No suscrita",
  snoozed: "En pausa",
  since: "Desde",
  none: "Aún no hay nadie",
  noneAdvice: "Las personas llegan con una importación, un formulario de su sitio o el primer correo que reciben.",
  noMatch: "Nadie cumple estas condiciones",
  saveSegment: "Guardar como segmento",
  segmentName: "Nombre del segmento",
  saved: (name) => `Se ha guardado el segmento ${name}.`,
  columns: "Columnas",
  bulk: {
    all: counted({
      one: () => "Seleccionar la única persona",
      many: (total) => `Seleccionar el total: ${total}`,
      other: (total) => `Seleccionar las ${total}`,
    }),
    selected: (who) => `${who}: selección`,
    clear: "Quitar la selección",
    subscribe: "Suscribir",
    unsubscribe: "Dar de baja",
    delete: "Borrar",
    title: {
      subscribe: (who) => `¿Suscribir a ${who}?`,
      unsubscribe: (who) => `¿Dar de baja a ${who}?`,
      delete: (who) => `¿Borrar a ${who}?`,
    },
    advice: {
      subscribe: "Solo si lo han pedido. Las direcciones bloqueadas siguen sin recibir correos.",
      unsubscribe: "Ya no reciben campañas. Los correos necesarios, como los recibos, siguen llegando.",
      delete: "Sus datos, eventos y correos se borran para siempre.",
    },
    running: "En curso",
    done: (changed, unchanged) => `Listo: ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} cambiada`,
      many: (count) => `${count} cambiadas`,
      other: (count) => `${count} cambiadas`,
    }),
    unchanged: counted({
      one: (count) => `${count} ya estaba así`,
      many: (count) => `${count} ya estaban así`,
      other: (count) => `${count} ya estaban así`,
    }),
  },
};

import "./begun";

/** If the scripts of the console cannot be loaded, neither can its texts. */
const failed: Record<string, [text: string, again: string]> = {
  en: ["The console could not be loaded.", "Try again"],
  de: ["Die Konsole konnte nicht geladen werden.", "Erneut versuchen"],
  es: ["No se pudo cargar la consola.", "Reintentar"],
  fr: ["La console n’a pas pu être chargée.", "Réessayer"],
  it: ["Impossibile caricare la console.", "Riprova"],
  nl: ["De console kon niet worden geladen.", "Opnieuw proberen"],
  pt: ["Não foi possível carregar a consola.", "Tentar de novo"],
};

import("./main").catch((error: unknown) => {
  const [text, again] = failed[navigator.language.slice(0, 2)] ?? failed.en ?? [];
  const link = Object.assign(document.createElement("a"), { href: location.href, textContent: again });
  const line = Object.assign(document.createElement("p"), { className: "p-6", role: "alert" });
  line.append(`${text} `, link);
  document.getElementById("console")?.replaceChildren(line);
  throw error;
});

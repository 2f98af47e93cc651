// What every page does: unpack its data, follow the theme, open what is folded.

export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

export function startTheme() {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  let asked = null;
  const apply = () => {
    const dark = asked ?? system.matches;
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
  };
  system.addEventListener("change", apply);
  button.addEventListener("click", () => {
    asked = root.dataset.theme !== "dark";
    apply();
  });
  apply();
}

// What is folded on the screen is open on paper, unless it is long. Styles do this too, in browsers that know how.
export function unfoldForPrinting() {
  const folds = [...document.querySelectorAll("details.fold:not(.long)")];
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    closed.forEach((fold) => (fold.open = true));
  });
  window.addEventListener("afterprint", () => closed.forEach((fold) => (fold.open = false)));
}

// A link into a fold opens it.
export function openTarget() {
  const id = window.location.hash.slice(1);
  const fold = id.includes("=") ? null : document.getElementById(id)?.querySelector("details.fold");
  if (fold) fold.open = true;
}

// Every chart can be taken away as it is seen: as SVG, or as PNG with two dots to a pixel.

import { download, tell } from "./files.js";

const DOTS = 2;

export function startSaving() {
  for (const place of document.querySelectorAll("figure .chart")) {
    const title = place.getAttribute("aria-label");
    const row = document.createElement("p");
    row.className = "save";
    row.append("Save ");
    for (const [kind, save] of [["SVG", saveSvg], ["PNG", savePng]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.setAttribute("aria-label", `Save the chart ${title} as ${kind}`);
      button.addEventListener("click", () => save(place, fileName(title)));
      row.append(button, " ");
    }
    place.after(row);
  }
}

function fileName(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "chart";
}

// The picture by itself: with its size, its ground, and the colours that the style of the page gives it.
export function pictureOf(place) {
  const shown = place.querySelector("svg");
  if (!shown) return null;
  const [, , width, height] = (shown.getAttribute("viewBox") ?? `0 0 ${shown.getAttribute("width")} ${shown.getAttribute("height")}`).split(/[ ,]+/).map(Number);
  const style = getComputedStyle(document.documentElement);
  const copy = shown.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.style.background = style.getPropertyValue("--ground").trim();
  const markup = new XMLSerializer().serializeToString(copy);
  return { text: markup.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim()), width, height };
}

function saveSvg(place, name) {
  const picture = pictureOf(place);
  if (picture) download(`${name}.svg`, "image/svg+xml", picture.text);
}

async function savePng(place, name) {
  const picture = pictureOf(place);
  if (!picture) return;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.text)}`;
  try {
    await image.decode();
  } catch {
    tell("This browser cannot turn the chart into a PNG: save the SVG.");
    return;
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [DOTS * picture.width, DOTS * picture.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(`${name}.png`, "image/png", blob));
}

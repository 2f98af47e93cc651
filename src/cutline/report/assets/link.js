// The cut in the address of the page, so that it can be shared: #threshold=0.31, #quota=500, #cost_fp=1&cost_fn=20.

let waiting = 0;

export function askedIn(hash) {
  return hash.includes("=") ? Object.fromEntries(new URLSearchParams(hash.slice(1))) : {};
}

// Browsers allow few changes of the address in a short time, and a slider makes many.
export function remember(cut) {
  clearTimeout(waiting);
  waiting = setTimeout(() => window.history.replaceState(null, "", cut ? `#${cut}` : window.location.pathname), 250);
}

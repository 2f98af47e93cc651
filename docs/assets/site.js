// Tables that scroll sideways can be reached with the keyboard. The theme wraps them when a page is shown.
document$.subscribe(() => document.querySelectorAll(".md-typeset__scrollwrap").forEach(box => { box.tabIndex = 0; }));

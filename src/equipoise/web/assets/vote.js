// The ballot by keyboard: a letter chooses, Enter confirms, so that a slip votes nothing. The page works without it.

const keys = { a: "a", b: "b", e: "tie", x: "bad", s: "skip" };
const ballot = document.getElementById("ballot");
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input")) return;
  const choice = keys[event.key.toLowerCase()];
  if (choice) ballot.querySelector(`[value="${choice}"]`).focus();
});
// A second press while the first is on its way would be refused: it says nothing new.
let sent = false;
ballot.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => (sent = false));

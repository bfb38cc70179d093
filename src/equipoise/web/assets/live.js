// The page of an arena that moves: a stream says how far the journal is, and the parts that changed are fetched.
// Nothing moves more than twice a second; without this script the page reloads itself.

const page = document.getElementById("live");
if (page) watch(page);
const enter = document.getElementById("enter");
if (enter) comeIn(enter);
if (document.getElementById("board")) stepThrough();

function watch(page) {
  const base = page.dataset.base;
  const tags = new Map();
  const parts = [...page.querySelectorAll("[data-part]")];
  const state = document.getElementById("state");
  let wanted = Number(page.dataset.seq);
  let shown = wanted;
  let busy = false;
  let last = page.dataset.phase;

  async function refresh() {
    if (busy) return;
    busy = true;
    try {
      while (shown < wanted) {
        const goal = wanted;
        let oldest = goal;
        for (const part of parts) oldest = Math.min(oldest, await renew(part));
        shown = Math.max(shown, oldest);
        document.getElementById("seq").textContent = goal.toLocaleString("en");
        if (oldest < goal) {
          // The server makes a part anew after a while only: look again then, also when nothing moves any more.
          setTimeout(refresh, 1000);
          return;
        }
      }
    } catch {
      setTimeout(refresh, 5000);
    } finally {
      busy = false;
    }
  }

  async function renew(part) {
    const name = part.dataset.part;
    const headers = tags.has(name) ? { "if-none-match": tags.get(name) } : {};
    const answer = await fetch(`${base}/parts/${name}`, { headers });
    if (answer.status === 401) location.href = `${base}/enter`;
    const stands = Number(answer.headers.get("x-event") ?? wanted);
    if (answer.status === 304) return stands;
    if (!answer.ok) throw new Error(String(answer.status));
    const before = name === "decisions" ? part.textContent : "";
    const text = await answer.text();
    // What somebody has just reached by keyboard is left alone, and tried again in a second.
    if (part.contains(document.activeElement)) return 0;
    tags.set(name, answer.headers.get("etag") ?? "");
    // The server escapes every name in it, and the page's policy lets no script of it run.
    part.replaceChildren(document.createRange().createContextualFragment(text));
    if (name === "decisions" && before && part.textContent !== before) {
      document.getElementById("said").textContent = part.querySelector("li")?.textContent ?? "";
    }
    return stands;
  }

  function moved(seq, phase) {
    wanted = Math.max(wanted, seq);
    last = phase;
    state.textContent = phase === "running" ? "live" : phase;
    state.className = `state ${phase}`;
    refresh();
  }

  const stream = new EventSource(`/api/1${base}/moves`);
  stream.addEventListener("open", () => moved(wanted, last));
  stream.addEventListener("move", (event) => {
    const said = JSON.parse(event.data);
    moved(said.seq, said.state);
  });
  stream.addEventListener("error", () => {
    state.textContent = "no connection, trying again";
    state.className = "state lost";
    if (stream.readyState === EventSource.CLOSED) poll();
  });

  async function poll() {
    try {
      const said = await (await fetch(`/api/1${base}`)).json();
      moved(said.seq, said.state);
    } catch {
      // It is tried again below.
    }
    setTimeout(poll, 5000);
  }
}

function comeIn(form) {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  form.querySelector("[name=token]").value = decodeURIComponent(token);
  form.requestSubmit();
}

// Links to other positions are followed without leaving the page; arrow keys go back and on.
function stepThrough() {
  let asked = 0;

  async function show(address) {
    const turn = ++asked;
    const answer = await fetch(address);
    if (!answer.ok || turn !== asked) return;
    const read = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("board");
    const board = document.getElementById("board");
    const label = document.activeElement?.closest?.("#board a")?.getAttribute("aria-label");
    const top = board.querySelector(".moves").scrollTop;
    board.replaceWith(read);
    read.querySelector(".moves").scrollTop = top;
    if (label) read.querySelector(`.steps a[aria-label="${label}"]`)?.focus();
    document.getElementById("said").textContent = read.querySelector("figcaption").textContent;
    history.replaceState(null, "", address);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#board a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link.href);
  });
  document.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.target.closest?.("input, .moves")) return;
    const { ply, plies } = document.getElementById("board").dataset;
    const next = Math.min(Math.max(Number(ply) + step, 0), Number(plies));
    if (next !== Number(ply)) show(`?ply=${next}#board`);
  });
}

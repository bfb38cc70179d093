// A click on an agent opens its rows, its worst and best opponents and its tasks; on a cell, the games of the pair.
(() => {
  const MOST = 5;
  const about = document.getElementById("about");
  const title = about.querySelector("h2");
  const body = about.querySelector("div");
  const behind = [...document.querySelectorAll("script.details")].map((block) => {
    const known = JSON.parse(block.textContent);
    known.place = new Map(known.agents.map((name, k) => [name, k]));
    known.part = block.closest(".part");
    return known;
  });
  if (!behind.length) return;

  // Charts cut very long names in the middle.
  const find = (known, shown) => {
    if (known.place.has(shown)) return known.place.get(shown);
    const cut = /^(.*)…(.*)$/s.exec(shown || "");
    if (!cut) return undefined;
    const alike = [...known.place].filter(([name]) => name.startsWith(cut[1]) && name.endsWith(cut[2]));
    return alike.length === 1 ? alike[0][1] : undefined;
  };
  const of = (element) => behind.filter((known) => known.part.contains(element));

  const make = (tag, text, ...inside) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    element.append(...inside);
    return element;
  };
  const count = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
  const share = (value) => `${Math.round(100 * value)}%`;
  const link = (name) => {
    const button = make("button", name);
    button.type = "button";
    button.className = "agent";
    return button;
  };
  const grid = (caption, heads, rows) => {
    const table = make("table", undefined, make("caption", caption));
    table.append(make("thead", undefined, make("tr", undefined, ...heads.map((head) => make("th", head)))));
    table.append(make("tbody", undefined, ...rows.map((row) => make("tr", undefined, ...row.map((cell) => (
      cell instanceof Node ? make("td", undefined, cell) : make("td", cell)))))));
    return table;
  };

  const opponents = (known, k) => known.pairs.filter(([i, j]) => i === k || j === k).map(([i, j, wins, losses, ties]) => {
    const [other, won, lost] = i === k ? [j, wins, losses] : [i, losses, wins];
    const games = won + lost + ties;
    return { other, won, lost, ties, games, rate: (won + ties / 2) / games };
  }).filter((met) => met.games > 0);

  // The agent's row of every table of its part in which it stands, as heading and value.
  const rowsOf = (known, name) => {
    const lists = [];
    for (const table of known.part.querySelectorAll("table.sortable")) {
      const row = [...table.tBodies[0].rows].find((each) => each.querySelector("bdi")?.textContent === name);
      if (!row) continue;
      const list = make("dl");
      [...row.cells].forEach((cell, k) => {
        const shown = cell.textContent.trim();
        if (shown && shown !== name) list.append(make("dt", table.tHead.rows[0].cells[k].textContent), make("dd", shown));
      });
      lists.push(make("h3", table.caption.textContent), list);
    }
    return lists;
  };
  const against = (known, k) => {
    if (!known.pairs) return [];
    const met = opponents(known, k).sort((p, q) => p.rate - q.rate || q.games - p.games);
    const line = ({ other, won, lost, ties, games, rate }) => {
      const counts = known.counted ? [count(games), count(won), count(lost), count(ties)] : [];
      return [link(known.agents[other]), share(rate), ...counts];
    };
    const heads = ["opponent", "score", ...(known.counted ? ["games", "won", "lost", "tied"] : [])];
    if (met.length <= 2 * MOST) return [grid(`Opponents, worst first (${met.length})`, heads, met.map(line))];
    return [
      grid(`Worst opponents (of ${met.length})`, heads, met.slice(0, MOST).map(line)),
      grid("Best opponents", heads, met.slice(-MOST).reverse().map(line)),
    ];
  };
  const tasks = (known, k) => {
    if (!known.scores?.[k]) return [];
    const there = (score) => score !== null && score !== undefined;
    const tried = known.tasks.map((task, t) => ({ task, t, score: known.scores[k][t] })).filter((each) => there(each.score));
    for (const each of tried) {
      const all = known.scores.map((row) => row[each.t]).filter(there);
      each.place = 1 + all.filter((score) => score > each.score).length;
      each.of = all.length;
    }
    tried.sort((p, q) => p.place / p.of - q.place / q.of);
    const line = (each) => [each.task, count(each.score), `${each.place} of ${each.of}`];
    const heads = ["task", "score", "place"];
    if (tried.length <= 2 * MOST) return [grid(`Tasks, best place first (${tried.length})`, heads, tried.map(line))];
    return [
      grid(`Best tasks (of ${tried.length})`, heads, tried.slice(0, MOST).map(line)),
      grid("Worst tasks", heads, tried.slice(-MOST).reverse().map(line)),
    ];
  };

  let last = null;
  const open = (known, heading, inside) => {
    last = known.part;
    title.textContent = heading;
    body.replaceChildren(...inside);
    if (!about.open) about.showModal();
    about.scrollTop = 0;
    title.focus();
  };
  const openAgent = (known, k, said) => open(known, known.agents[k], [
    ...(said ? [make("p", said)] : []), ...rowsOf(known, known.agents[k]),
    ...behind.filter((each) => each.part === known.part).flatMap((each) => {
      const at = each.place.get(known.agents[k]);
      return at === undefined ? [] : [...against(each, at), ...tasks(each, at)];
    }),
  ]);
  const openPair = (known, i, j, said) => {
    const met = opponents(known, i).find((each) => each.other === j);
    const [a, b] = [known.agents[i], known.agents[j]];
    const tried = met && known.counted
      ? [grid("Games", ["games", `won by ${a}`, `won by ${b}`, "tied", `score of ${a}`],
        [[count(met.games), count(met.won), count(met.lost), count(met.ties), share(met.rate)]])]
      : [make("p", met ? `${a} scores ${share(met.rate)}; nobody counted the games.` : "These two never met.")];
    const more = make("p", "More of ", link(a), " ", link(b));
    open(known, `${a} against ${b}`, [...(said ? [make("p", said)] : []), ...tried, more]);
  };

  // Names become buttons where something stands behind them.
  for (const cell of document.querySelectorAll(".part td bdi")) {
    const known = of(cell).find((each) => each.place.has(cell.textContent));
    if (known) cell.replaceChildren(link(cell.textContent));
  }
  document.addEventListener("click", (event) => {
    if (event.target.id === "about-close" || event.target === about) return about.close();
    const cell = event.target.closest?.(".pairs td:not(.no)");
    if (cell) {
      const known = of(cell).find((each) => each.pairs);
      const names = [cell.parentElement.querySelector("bdi").textContent, cell.closest("table").tHead.rows[0].cells[cell.cellIndex].title];
      const [i, j] = names.map((name) => known?.place.get(name));
      if (i !== undefined && j !== undefined) openPair(known, i, j);
      return;
    }
    const button = event.target.closest?.("button.agent");
    const mark = event.target.closest?.("[data-agent]");
    const from = button || mark;
    if (!from) return;
    const there = of(about.contains(from) ? last : from);
    const name = button ? button.textContent : mark.dataset.agent;
    const known = there.find((each) => find(each, name) !== undefined);
    if (!known) return;
    const i = find(known, name);
    const j = mark && known.pairs ? find(known, mark.dataset.opponent) : undefined;
    if (j !== undefined) openPair(known, i, j, mark.dataset.tip);
    else openAgent(known, i, mark?.dataset.tip);
  });
  for (const mark of document.querySelectorAll("[data-agent]")) {
    if (of(mark).some((known) => find(known, mark.dataset.agent) !== undefined)) mark.classList.add("opens");
  }
})();

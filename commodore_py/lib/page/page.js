"use strict";

// Filter the table while the search is typed; without this script the form does it.
for (const search of document.querySelectorAll("[data-filters]")) {
  const rows = document.getElementById(search.dataset.filters).tBodies[0].rows;
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    document.getElementById("shown").textContent = [...rows].filter((row) => !row.hidden).length;
  });
}

// Complete a path by the keys below what was typed so far.
for (const field of document.querySelectorAll("[data-completes]")) {
  const list = document.getElementById(field.getAttribute("list"));
  let above = null;
  const complete = async () => {
    const now = field.value.slice(0, Math.max(0, field.value.lastIndexOf(".")));
    if (now === above) return;
    above = now;
    const answer = await fetch(field.dataset.completes + encodeURIComponent(now));
    if (!answer.ok || now !== above) return;
    const { keys } = await answer.json();
    list.replaceChildren(...keys.map((key) => Object.assign(document.createElement("option"), { value: key })));
  };
  field.addEventListener("input", complete);
  field.addEventListener("focus", complete);
}

// Events of a job as they happen; at its end the page is loaded again for its result.
for (const list of document.querySelectorAll("[data-events]")) {
  if (!document.querySelector(".mark.queued, .mark.running")) continue;
  const source = new EventSource(list.dataset.events);
  list.replaceChildren();
  source.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    if (event.level === "end") {
      source.close();
      location.reload();
      return;
    }
    const line = document.createElement("li");
    line.className = event.level;
    line.textContent = event.message;
    list.append(line);
  });
}

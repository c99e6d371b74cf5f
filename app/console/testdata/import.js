// Imports every module that the address names, and tells on the page how that went.
const names = new URLSearchParams(location.search).get("modules").split(",");
const results = await Promise.all(names.map((name) => import(`/console/${name}`).then(() => `${name} runs`, (err) => `${name} fails: ${err}`)));
const said = document.createElement("p");
said.textContent = `Modules: ${results.join("; ")}.`;
document.body.append(said);

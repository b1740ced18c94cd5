const scheme = document.body;

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", scheme.dataset.mdColorScheme === "slate");
}

new MutationObserver(followColorScheme).observe(scheme, { attributeFilter: ["data-md-color-scheme"] });
followColorScheme();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});

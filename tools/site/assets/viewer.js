// This script is in `docs/assets/` below the path of the service.
const url = new URL("../..", document.currentScript.src).href.replace(/\/$/, "");
const scheme = document.body;

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", scheme.dataset.mdColorScheme === "slate");
}

new MutationObserver(followColorScheme).observe(scheme, { attributeFilter: ["data-md-color-scheme"] });
followColorScheme();

// Shows the `x-codeSamples` of an operation above its responses, in tabs.
function CodeSamples({ React, samples }) {
  const [shown, show] = React.useState(0);
  const tab = ({ label }, number) =>
    React.createElement(
      "button",
      { key: label, type: "button", role: "tab", "aria-selected": number === shown, onClick: () => show(number) },
      label,
    );
  return React.createElement(
    "div",
    { className: "code-samples" },
    React.createElement("div", { role: "tablist" }, samples.map(tab)),
    React.createElement("pre", { tabIndex: 0 }, React.createElement("code", null, samples[shown].source)),
  );
}

const codeSamples = ({ React }) => ({
  wrapComponents: {
    responses: (Responses, { specSelectors }) => (props) => {
      const samples = specSelectors.specJson().getIn(["paths", props.path, props.method, "x-codeSamples"]);
      return React.createElement(
        React.Fragment,
        null,
        samples && React.createElement(CodeSamples, { React, samples: samples.toJS() }),
        React.createElement(Responses, props),
      );
    },
  },
});

SwaggerUIBundle({
  url: `${url}/openapi.json`,
  dom_id: "#viewer",
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [codeSamples],
});

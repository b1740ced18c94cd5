// Shows the address of the server that the reader is on, in place of the one in the source. This script is in `docs/assets/`.
const server = new URL("../..", document.currentScript.src).href.replace(/\/$/, "");
for (const code of document.querySelectorAll("pre code")) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    texts.currentNode.data = texts.currentNode.data.replaceAll("http://127.0.0.1:8080", server);
  }
}
